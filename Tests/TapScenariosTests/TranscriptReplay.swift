import EMVData
import EMVTerminal
import Fixtures
import Links
import Octets
import PaymentAcceptance
import TapScenarios
import Transcripts

/// A tap with a recorded card: everything but the times is the same each time.
enum TranscriptReplay {
  private struct Approval: AuthorizationHost {
    func authorize(_ request: AuthorizationRequest) -> AuthorizationResponse { .approved(code: "000001") }
  }

  struct Incomplete: Error {}

  static func transcript(_ name: String) throws -> Transcript {
    try Transcript(parsing: String(decoding: Fixtures.data("Transcripts/\(name).txt"), as: UTF8.self))
  }

  static func result(
    _ transcript: Transcript, exchanges count: Int? = nil
  ) throws -> Result<PaymentReceipt, AcceptanceFailure> {
    guard let profile = transcript[.terminal], let amount = transcript[.amount], let moment = transcript.clock,
      let random = transcript.random
    else { throw Incomplete() }
    let configuration = try TerminalConfiguration(json: Array(profile.utf8))
    guard let currency = configuration.currency("EUR") else { throw Incomplete() }
    let request = PaymentRequest(
      amount: try Amount(amount, exponent: currency.exponent), currency: currency, date: moment.date,
      time: moment.time)
    let terminal = PaymentAcceptance(
      configuration: configuration, host: Approval(), clock: SystemClock(), random: ReplayRandomSource(random))
    var cut = transcript
    if let count { cut.exchanges.removeLast(cut.exchanges.count - count) }
    var channel = ReplayChannel(cut)
    do throws(AcceptanceFailure) {
      return .success(try terminal.accept(request, over: &channel))
    } catch { return .failure(error) }
  }

  /// The failures of a recorded tap against an expectation, as sentences.
  static func failures(_ name: String, _ expect: String, exchanges count: Int? = nil) throws -> [String] {
    let text = "{name: a test, amount: 12.34, currency: EUR, expect: {\(expect)}}"
    let scenario = try TapScenario(parsing: Array(text.utf8))
    return ScenarioCheck(scenario.expectations).failures(in: try result(transcript(name), exchanges: count))
      .map(\.description)
  }
}
