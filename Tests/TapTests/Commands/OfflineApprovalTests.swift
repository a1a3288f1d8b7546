import Foundation
import TestSupport
import Testing

/// `tap accept` at a terminal that authenticates the card itself.
@Suite("Offline data authentication", .blocks, .timeLimit(.minutes(20)))
struct OfflineApprovalTests {
  struct Row: CustomStringConvertible, Sendable {
    let card: String
    let terminal: String
    let outcome: String
    /// The result of the authentication; nil when it is not performed.
    let result: String?
    var hasHost = false

    var description: String { "\(card) at \(terminal)" }
  }

  static let rows = [
    Row(card: "visa-fdda", terminal: "offline", outcome: "approved", result: "passed"),
    Row(card: "mastercard-cda", terminal: "offline", outcome: "approved", result: "passed"),
    Row(card: "amex-cda", terminal: "all-kernels", outcome: "approved", result: "passed"),
    Row(card: "discover-cda", terminal: "all-kernels", outcome: "approved", result: "passed"),
    Row(card: "unionpay-fdda", terminal: "all-kernels", outcome: "approved", result: "passed"),
    Row(card: "unionpay-fdda-00", terminal: "all-kernels", outcome: "approved", result: "passed", hasHost: true),
    Row(card: "jcb-cda", terminal: "all-kernels", outcome: "approved", result: "passed"),
    Row(card: "visa-fdda", terminal: "offline-revoked", outcome: "declined", result: "failed"),
    Row(card: "visa-fdda-online", terminal: "offline-revoked", outcome: "approved", result: "failed", hasHost: true),
    Row(card: "visa-cvn18", terminal: "attended-eur", outcome: "approved", result: nil, hasHost: true),
  ]

  @Test(arguments: rows)
  func `the outcome of a payment has the result of the authentication, as text and as JSON`(_ row: Row) throws {
    let arguments = [
      "accept", "--reader", "loopback:\(TapProgram.card(row.card))", "--terminal", TapProgram.terminal(row.terminal),
      "--amount", "12.34", "--currency", "EUR",
    ]
    let code: Int32 = row.outcome == "approved" ? 0 : 2
    let json = try TapProgram.finish(TapProgram.start(arguments + ["--format", "json"])).json()
    let authentication = json["dataAuthentication"] as? [String: Any]
    #expect(json["outcome"] as? String == row.outcome)
    #expect(authentication?["result"] as? String == row.result)
    #expect((authentication?["reason"] != nil) == (row.result == "failed"))
    #expect((json["host"] != nil) == row.hasHost)
    try OutputSchema.check("accept", arguments, code: code)
    let text = try TapProgram.finish(TapProgram.start(arguments)).output
    #expect(text.contains("offline data authentication: \(row.result ?? "")") == (row.result != nil), "\(text)")
  }
}
