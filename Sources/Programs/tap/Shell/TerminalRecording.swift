import EMVData
import EMVTerminal
import EMVCard
import Foundation
import Octets
import PaymentAcceptance
import Transcripts

/// A terminal-side recording that can be replayed: the wire, and all that the terminal took from outside.
struct TerminalRecording {
  static let host: Transcript.Key = "host"
  /// How many restarts the terminal allowed; left out for none.
  static let restarts: Transcript.Key = "restarts"
  /// The part of the amount that was paid out in cash; left out for none.
  static let cashback: Transcript.Key = "cashback"

  /// Completes the transcript of a tap.
  static func transcript(
    _ result: TerminalSide.Result, _ request: PaymentRequest, _ moment: TransactionMoment, terminal: [UInt8],
    restarts allowed: Int = 0, _ disclosure: Disclosure
  ) -> Transcript {
    var transcript = result.recording
    // The times that the terminal itself took, and judged the card by: a replay must come to the same verdict.
    if transcript.exchanges.count == result.exchanges.count {
      for (index, exchange) in result.exchanges.enumerated() {
        transcript.exchanges[index].nanoseconds = exchange.nanoseconds
      }
    }
    transcript.clock = moment
    transcript.random = result.random
    transcript[.amount] = "\(request.amount)"
    transcript[cashback] = request.amountOther.map { "\($0)" }
    if request.type != .purchase { transcript[.type] = [request.type.rawValue].hex }
    transcript[.currency] = request.currency.numericCode
    transcript[.terminal] = compact(terminal)
    if !result.restarts.isEmpty { transcript[restarts] = String(allowed) }
    if case .success(let receipt) = result.outcome {
      transcript[.outcome] = receipt.outcome.kind.rawValue
      transcript[host] = receipt.answer.map(RecordedHost.text)
    }
    return disclosure.shown(transcript)
  }

  /// JSON on one line.
  static func compact(_ json: [UInt8]) -> String {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
      let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return String(decoding: json, as: UTF8.self) }
    return String(decoding: data, as: UTF8.self)
  }

  /// Writes a transcript.
  static func write(_ transcript: Transcript, to path: String) throws {
    try Files.write(transcript.text.utf8, to: path)
  }
}
