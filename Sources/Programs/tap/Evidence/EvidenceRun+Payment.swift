import EMVTerminal
import Links
import Octets
import PaymentAcceptance
import Transcripts
import USBSimulator

extension EvidenceRun {
  /// Takes a payment, and keeps its exchanges and their times. No number of the card stays, also of a test card.
  mutating func payment() -> Ending {
    let result: PaymentResult
    do throws(LinkError) {
      let opened = try reader.base.open(timeout: Self.readiness)
      defer { opened.restore?() }
      var field = opened.field
      result = terminal.result(of: request, at: &field)
    } catch { return .failed("the reader cannot be opened: \(error)") }
    keep(result.record)
    switch result {
    case .failure(let failure): return .failed("\(failure)")
    case .success(let receipt): return ending(of: receipt)
    }
  }

  private func ending(of receipt: PaymentReceipt) -> Ending {
    let outcome = receipt.outcome.kind
    let longest = receipt.exchanges.compactMap { $0.response?.count }.max() ?? 0
    guard [.approved, .declined, .onlineRequest].contains(outcome) else {
      return .failed(
        "the payment has ended with \"\(outcome.rawValue)\" after \(receipt.exchanges.count.counted("exchange"))")
    }
    return .passed(
      "\(outcome.rawValue) after \(receipt.exchanges.count.counted("exchange")), responses up to \(longest.bytes)")
  }

  private mutating func keep(_ record: PaymentRecord) {
    let transcript = record.transcript.redacted(by: .complete)
    evidence.recording = transcript.text.split(separator: "\n").map(String.init)
    let room = max(0, 100 - evidence.commands.count)
    evidence.commands += record.exchanges.prefix(room).compactMap { exchange in
      guard let response = exchange.response, response.count >= 2, exchange.command.count >= 4 else { return nil }
      let timed = TimedResponse(octets: response, time: .nanoseconds(exchange.nanoseconds))
      return Self.times(of: exchange.command, [timed])
    }
  }
}
