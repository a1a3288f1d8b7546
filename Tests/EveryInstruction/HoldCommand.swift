import ArgumentParser
import ContactlessPayment
import Foundation
import Links
import Octets

/// The program that is stepped: holds an armed card, and obeys the lines of its standard input.
struct HoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Hold an armed card and answer a terminal, for the walk.", shouldDisplay: false)

  func run() async throws {
    var card = HeldCard()
    try await LineReplies.serve { line in await card.obey(line) }
  }
}

/// Answers lines with lines.
enum LineReplies {
  /// Reads the standard input to its end.
  static func serve(_ reply: (String) async -> String) async throws {
    while let line = await DedicatedThread(named: "lines", { readLine() }).value() {
      print(await reply(line))
      fflush(nil)
    }
  }
}

private struct HeldCard {
  private let clock = SteadyClock()
  private var session: ContactlessPaymentSession?

  /// `arm FOLDER`, `advance MILLISECONDS` or `end`.
  mutating func obey(_ line: String) async -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    do {
      switch words[0] {
      case "arm": return try await arm(CardPlace(folder: words[1]))
      case "advance":
        clock.advance(by: .milliseconds(Int(words[1]) ?? 0))
        return "advanced"
      default: return await end()
      }
    } catch { return "failed \(error)" }
  }

  /// Replies with the thread and the socket of the card.
  private mutating func arm(_ place: CardPlace) async throws -> String {
    let wallet = try place.makeWallet(clock: clock)
    try await wallet.open()
    let link = try CommandLink(path: place.link, clock: clock)
    let limit = Duration.seconds(3600)
    let limits = SessionLimits(emulation: limit, verificationValidity: limit, linger: limit)
    session = try await CardPresentation(wallet: wallet, terms: SessionTerms(limits: limits)).present(on: link)
    return "armed \(await link.thread ?? 0) \(link.socket)"
  }

  /// Replies with the last event.
  private mutating func end() async -> String {
    guard let session else { return "ended" }
    self.session = nil
    await session.cancel()
    await session.finished()
    var last = "nothing"
    for await event in session.events { last = event.name }
    return "ended \(last)"
  }
}

extension ContactlessPaymentSession.Event {
  fileprivate var name: String {
    switch self {
    case .authenticationRequired, .authenticationCompleted, .posConnected, .posDisconnected: "nothing"
    case .transactionCompleted(let context): "completed \(context.transactionCounter)"
    case .errorEncountered(let error, let spent): "\(error.name) \(spent.map(\.transactionCounter))"
    }
  }
}
