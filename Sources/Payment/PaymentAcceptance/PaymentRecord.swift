internal import EMVData
public import EMVTerminal
internal import JSON
public import Links
internal import Octets
public import Transcripts

/// The one record of a payment: what the terminal was asked for, and what went over the wire.
///
/// Exchanges are recorded once, at the channel, beneath response chaining. Reports, latencies and transcripts are made
/// from this record.
public struct PaymentRecord: Sendable {
  /// The request.
  public let request: PaymentRequest
  /// The number of restarts that the terminal allowed.
  public let restartLimit: Int
  /// The card of each tap, in order.
  public internal(set) var cards: [CardIdentity] = []
  /// All exchanges, in order; the last one may have failed.
  public internal(set) var exchanges: [Exchange] = []
  /// The taps after which the payment was tried again, in order; empty when the first tap was the last.
  public internal(set) var restarts: [Restart] = []
  /// What the display showed, in order.
  public internal(set) var messages: [UserInterfaceRequest] = []
  /// All random bytes that the terminal drew, in order.
  public internal(set) var random: [UInt8] = []
  /// What the terminal found out about the cards and no exchange holds.
  public internal(set) var findings = TerminalFindings()
  /// What the kernels keep until the next payment. The caller stores it; see `PaymentAcceptance.memories`.
  public internal(set) var memories: [KernelIdentifier: KernelMemory] = [:]

  /// The time of all exchanges together, in nanoseconds.
  public var cardNanoseconds: Int64 { exchanges.reduce(0) { $0 &+ $1.nanoseconds } }

  /// The wire as a transcript, unredacted.
  public var transcript: Transcript {
    let recording = Recording(role: .terminal)
    for card in cards { recording.identify(card) }
    for exchange in exchanges {
      recording.keep(
        exchange.command, exchange.response, arrival: exchange.begun, time: .nanoseconds(exchange.nanoseconds),
        failure: exchange.failure)
    }
    return recording.transcript
  }
}

extension Result where Success == PaymentReceipt, Failure == AcceptanceFailure {
  /// The record of the payment, complete or not.
  public var record: PaymentRecord {
    switch self {
    case .success(let receipt): receipt.record
    case .failure(let failure): failure.record
    }
  }

  /// The payment as a transcript that can be replayed against this build's terminal, unredacted: the wire, and
  /// everything that the terminal took from outside.
  ///
  /// - Parameter profile: The terminal's profile, as JSON.
  public func transcript(ofTerminal profile: [UInt8]) -> Transcript {
    let record = record
    let request = record.request
    var transcript = record.transcript
    transcript.clock = TransactionMoment(date: request.date, time: request.time)
    transcript.random = record.random
    transcript[.amount] = "\(request.amount)"
    transcript[.cashback] = request.amountOther.map { "\($0)" }
    if request.type != .purchase { transcript[.type] = [request.type.rawValue].hex }
    transcript[.currency] = request.currency.numericCode
    transcript[.terminal] = JSONLine.compact(profile)
    if !record.restarts.isEmpty { transcript[.restarts] = String(record.restartLimit) }
    transcript[.outcome] = recordedOutcome
    if case .success(let receipt) = self { transcript[.host] = receipt.answer.map(\.recorded) }
    record.findings.write(to: &transcript)
    return transcript
  }

  /// The directive `outcome` of a recording of this payment: the kind of the outcome, or `failed` with the code of the
  /// link's error.
  public var recordedOutcome: String {
    switch self {
    case .success(let receipt): receipt.outcome.kind.rawValue
    case .failure(let failure): "failed \(failure.linkError?.code.rawValue ?? "request")"
    }
  }
}

/// JSON on one line, as a directive of a transcript holds it.
package enum JSONLine {
  /// Returns the same JSON on one line, or the text itself when it is not JSON.
  package static func compact(_ json: [UInt8]) -> String {
    (try? JSONValue(parsing: json))?.compact ?? String(decoding: json, as: UTF8.self)
  }
}
