import EMVCard
import EMVTerminal
import Fixtures
import Foundation
import LinkTiming
import PaymentAcceptance
import TapLatency
import TestSupport
import Testing

/// The shipped cards over the links of the model: the table of the article.
@Suite("Shipped cards over links", .blocks, .timeLimit(.minutes(10)))
struct ShippedTapTests {
  static let links = [
    "106k", "424k", "106k,acr1252u", "106k,acr122u", "106k,pn532-uart", "106k,pn532-i2c", "phone,106k",
  ]

  /// The cards with their kernels. A card of the test authority has the kernel that the shipped terminals give its application.
  static let cards = [
    ("mastercard-cvn16", 2), ("mastercard-cvn21", 2), ("mastercard-cda", 2), ("mastercard-magstripe", 2),
    ("visa-cvn10", 3), ("visa-cvn18", 3), ("visa-two-accounts", 3), ("visa-fdda", 3), ("amex-mobile", 4),
    ("amex-magstripe", 4), ("amex-cda", 4), ("jcb-mobile", 5), ("jcb-cda", 5), ("discover", 6), ("discover-cda", 6),
    ("unionpay", 7), ("unionpay-fdda", 7),
  ]

  static func tap(_ card: String) async throws -> [Exchange] {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    let terminal = try TerminalConfiguration(json: [UInt8](Fixtures.data("Terminals/all-kernels.json")))
    let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: terminal)
    let result = try await TapBenchmark(image, over: .direct, taps: 1, warmUp: 0).run(request, at: terminal)
    return try #require(result.fastest).record.exchanges
  }

  /// The row of a card: milliseconds of the whole tap over each link.
  static func row(_ card: String, kernel: Int) async throws -> String {
    let exchanges = try await tap(card)
    let tap = ModelledExchange.tap(exchanges.map { ($0.command, $0.response, $0.phase.rawValue) })
    let cells = try links.map { links in
      let whole = TapBudget(of: tap, over: try LinkChain(parsing: links)).whole.whole
      return "\((whole.least + 500_000) / 1_000_000)-\((whole.most + 500_000) / 1_000_000)"
    }
    return "| `\(card)` | \(kernel) | \(tap.count) | \(cells.joined(separator: " | ")) |"
  }

  @Test func `the article has the time of each shipped card over each link`() async throws {
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/Contactless.docc/TheTimeOfATap.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    var rows = ["| card | kernel | commands | \(Self.links.map { "`\($0)`" }.joined(separator: " | ")) |"]
    for (card, kernel) in Self.cards { rows.append(try await Self.row(card, kernel: kernel)) }
    for row in rows where !text.contains(row) { Issue.record("the article has no line\n\(row)") }
  }
}
