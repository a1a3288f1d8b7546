import EMVDecoding
import Foundation
import Links
import Octets
import PCSCReader
import ProgramSupport

/// Presence of readers and cards: first those that are present, then every change. The watch continues while the reader
/// service is absent.
struct PresenceWatch: Sendable {
  let format: OutputFormat

  /// The time between two attempts to reach a service that is absent, in seconds.
  private static let retryInterval = 0.25

  /// Watches until the program ends. Blocks.
  func run() -> Never {
    let names = CardFiles.cardNames()
    var isLost = false
    while true {
      do throws(LinkError) {
        let monitor = try PCSCMonitor()
        if isLost { tell("serviceFound", "reader service back") }
        isLost = false
        try follow(monitor, names)
      } catch {
        if !isLost { tell("serviceLost", error.reason, [("reason", error.reason)]) }
        isLost = true
        Thread.sleep(forTimeInterval: Self.retryInterval)
      }
    }
  }

  private func follow(_ monitor: PCSCMonitor, _ names: ATRNameList?) throws(LinkError) -> Never {
    var isNews = false
    while true {
      if let event = try monitor.next(timeout: isNews ? .seconds(60) : .zero) {
        tell(event, isNews: isNews, names)
      } else {
        // Everything that is present has been reported.
        isNews = true
      }
    }
  }

  /// - Parameter isNews: Whether the change happened after the watch began; otherwise it is what was present then.
  private func tell(_ event: ReaderEvent, isNews: Bool, _ names: ATRNameList?) {
    let address = "pcsc:\(event.reader)"
    switch event.change {
    case .readerAdded where isNews: tell("readerAdded", "plugged in", at: address)
    case .readerAdded: tell("readerPresent", "is there", at: address)
    case .readerRemoved: tell("readerRemoved", "pulled out", at: address)
    case .cardInserted(let answer):
      let found = names?.names(of: answer) ?? []
      let card =
        (answer.isEmpty ? ", which does not answer" : ", ATR \(answer.hex)") + (found.first.map { ", \($0)" } ?? "")
      tell(
        isNews ? "cardInserted" : "cardPresent", (isNews ? "card in" : "has a card") + card, at: address,
        [("answerToReset", answer.hex), ("cardNames", found.isEmpty ? nil : found)])
    case .cardRemoved: tell("cardRemoved", "card out", at: address)
    }
  }

  private func tell(
    _ event: String, _ words: String, at address: String? = nil,
    _ members: [(key: String, value: (any Encodable)?)] = []
  ) {
    let time = SystemWallClock().now.iso8601WithMilliseconds
    // A value of texts always encodes.
    try? format.print(
      "\(time)  \(address.map { "\($0)  " } ?? "")\(words)",
      json: JSONObject([("time", time), ("event", event), ("address", address)] + members))
  }
}
