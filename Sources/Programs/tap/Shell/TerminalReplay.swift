import EMVData
import EMVTerminal
import Octets
import PaymentAcceptance
import Transcripts

/// All commands were the recorded ones, but what came of them was not.
struct ReplayFailure: Error, CustomStringConvertible {
  let description: String
}

/// This build's terminal against the recorded card.
struct TerminalReplay {
  let transcript: Transcript
  /// What people call it.
  let name: String

  init(_ transcript: Transcript, named name: String) { (self.transcript, self.name) = (transcript, name) }

  func run() throws {
    guard !transcript.exchanges.isEmpty else { throw FileError(description: "the recording has no exchanges") }
    let (configuration, transcript) = try terminal()
    let host = RecordedHost(transcript[.host])
    let tap = ReplayTap(transcript: transcript, configuration: configuration, host: host)
    let result = try tap.run(try request(configuration))
    switch result {
    case .success(let receipt): try compare(receipt.outcome.kind)
    case .failure(let failure):
      // A recording that was torn ends in the recorded link error; any other is a failure of the replay.
      guard transcript.exchanges.last?.response == nil else { throw ReplayFailure(description: "\(failure)") }
    }
  }

  /// The recorded terminal, and the recording with what that terminal cannot say marked as varying.
  private func terminal() throws -> (TerminalConfiguration, Transcript) {
    if let profile = transcript[.terminal] { return (try TerminalConfiguration(json: Array(profile.utf8)), transcript) }
    let data = RecordedTerminalData(transcript)
    guard data.isComplete else { return (try ShippedTerminal.configuration(), transcript) }
    let recorded = RecordedTerminal(data: data)
    var varying = transcript
    for tag in recorded.unsayable {
      Console.note("\(name): \(tag) is not compared: what the recording has is no text")
      for index in varying.exchanges.indices { varying.exchanges[index].notes.append(.directive(.varies, tag)) }
    }
    return (try recorded.configuration(), varying)
  }

  private func compare(_ outcome: PaymentOutcome.Kind) throws {
    guard let recorded = transcript[.outcome], recorded != outcome.rawValue else { return }
    throw ReplayFailure(
      description: "all commands are the recorded ones, but the outcome is \"\(outcome.rawValue)\", not \"\(recorded)\""
    )
  }

  private func request(_ configuration: TerminalConfiguration) throws -> PaymentRequest {
    if let amount = transcript[.amount], let currency = transcript[.currency], let moment = transcript.clock {
      let type = try transcript[.type].flatMap { try [UInt8](hex: $0).first } ?? 0
      return try PaymentOrder(
        amount: amount, cashback: transcript[.cashback], currency: currency,
        type: TransactionType(rawValue: type), moment: moment
      ).request(at: configuration)
    }
    return try recordedRequest(configuration)
  }

  /// A recording without directives: what the terminal told the card is what it was asked.
  private func recordedRequest(_ configuration: TerminalConfiguration) throws -> PaymentRequest {
    let data = RecordedTerminalData(transcript)
    guard data.isComplete, let moment = data.clock, let code = data[.transactionCurrencyCode],
      let numeric = data[.amountAuthorised], let type = data[.transactionType]?.first
    else { throw FileError(description: "\(data)") }
    let currency = String(code.hex.suffix(3))
    let exponent = configuration.currency(currency)?.exponent ?? 2
    let amount = try Amount(numeric: numeric, exponent: exponent)
    let cashback = try data[.amountOther].map { try Amount(numeric: $0, exponent: exponent) }
    return try PaymentOrder(
      amount: "\(amount)", cashback: cashback.flatMap { $0.minorUnits > 0 ? "\($0)" : nil }, currency: currency,
      type: TransactionType(rawValue: type), moment: moment
    ).request(at: configuration)
  }
}
