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

  private enum Event: String, Encodable {
    /// Present when the watch begins.
    case readerPresent, cardPresent
    case readerAdded, readerRemoved, cardInserted, cardRemoved
    case serviceLost, serviceFound
  }

  private struct Line: Encodable {
    var time = SystemWallClock().now.iso8601WithMilliseconds
    let event: Event
    var address: String?
    var answerToReset: String?
    var cardNames: [String]?
    var reason: String?
  }

  /// The time between two attempts to reach a service that is absent, in seconds.
  private static let retryInterval = 0.25

  /// Watches until the program ends. Blocks.
  func run() -> Never {
    let names = Files.cardNames()
    var isLost = false
    while true {
      do throws(LinkError) {
        let monitor = try PCSCMonitor()
        if isLost { tell(Line(event: .serviceFound)) }
        isLost = false
        try follow(monitor, names)
      } catch {
        if !isLost { tell(Line(event: .serviceLost, reason: error.reason)) }
        isLost = true
        Thread.sleep(forTimeInterval: Self.retryInterval)
      }
    }
  }

  private func follow(_ monitor: PCSCMonitor, _ names: CardNameList?) throws(LinkError) -> Never {
    var isNews = false
    while true {
      if let event = try monitor.next(timeout: isNews ? .seconds(60) : .zero) {
        tell(line(event, isNews: isNews, names))
      } else {
        // Everything that is present has been reported.
        isNews = true
      }
    }
  }

  private func line(_ event: ReaderEvent, isNews: Bool, _ names: CardNameList?) -> Line {
    let address = "pcsc:\(event.reader)"
    switch event.change {
    case .readerAdded: return Line(event: isNews ? .readerAdded : .readerPresent, address: address)
    case .readerRemoved: return Line(event: .readerRemoved, address: address)
    case .cardInserted(let answer):
      let found = names?.names(of: answer) ?? []
      return Line(
        event: isNews ? .cardInserted : .cardPresent, address: address, answerToReset: answer.hex,
        cardNames: found.isEmpty ? nil : found)
    case .cardRemoved: return Line(event: .cardRemoved, address: address)
    }
  }

  private func tell(_ line: Line) {
    switch format {
    case .json: try? Console.print(json: line)  // A value of texts always encodes.
    case .text: Console.print("\(line.time)  \(Self.text(line))")
    }
  }

  private static func text(_ line: Line) -> String {
    let answer = line.answerToReset.map { $0.isEmpty ? ", which does not answer" : ", ATR \($0)" } ?? ""
    let name = line.cardNames?.first.map { ", \($0)" } ?? ""
    let words =
      switch line.event {
      case .readerPresent: "is there"
      case .cardPresent: "has a card\(answer)\(name)"
      case .readerAdded: "plugged in"
      case .readerRemoved: "pulled out"
      case .cardInserted: "card in\(answer)\(name)"
      case .cardRemoved: "card out"
      case .serviceLost: line.reason ?? "reader service gone"
      case .serviceFound: "reader service back"
      }
    return line.address.map { "\($0)  \(words)" } ?? words
  }
}
