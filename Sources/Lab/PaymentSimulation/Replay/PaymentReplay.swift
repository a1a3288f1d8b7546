internal import EMVData
internal import EMVTerminal
internal import Octets
internal import PaymentAcceptance
internal import Transcripts

/// The payment of a recording of the terminal's side: which terminal took it, what it was asked for, how it ended.
struct PaymentReplay {
  let transcript: Transcript
  let terminal: [UInt8]

  /// Takes the payment at the recorded card and compares the outcome. Returns what was not compared.
  func reproduce() throws(ReplayError) -> [String] {
    let setup: Setup
    let request: PaymentRequest
    do {
      setup = try self.setup()
      request = try self.request(at: setup.configuration)
    } catch {
      throw .unusable("\(error)")
    }
    let host = RecordedHost(transcript[.host])
    let replay = TerminalReplay(setup.transcript, configuration: setup.configuration, host: host)
    let result = try replay.pay(request)
    // Recordings of other tools, and of earlier builds for a payment that failed, have no outcome.
    if let recorded = transcript[.outcome], recorded != result.recordedOutcome {
      throw .outcome(recorded: recorded, present: result.recordedOutcome)
    }
    if case .failure(let failure) = result, transcript.exchanges.last?.response != nil { throw .failed("\(failure)") }
    return setup.notes + assumptions + Self.notes(on: result.record.findings)
  }

  private var assumptions: [String] {
    transcript.exchanges.enumerated().compactMap { index, exchange in
      exchange.notes.first { $0.key == .assumed }.map { "exchange \(index + 1) was not recorded: \($0.text)" }
    }
  }

  private static func notes(on findings: TerminalFindings) -> [String] {
    guard !findings.authentication.taken.isEmpty else { return [] }
    let verdicts = findings.authentication.taken.map { $0.recorded }.joined(separator: ", ")
    return [
      "offline data authentication is not judged: the recording has zeros in place of the card's certificates. The recorded "
        + "verdict is taken: \(verdicts)"
    ]
  }

  /// A terminal, and the recording with the data elements that this terminal cannot send marked as varying.
  private struct Setup {
    let configuration: TerminalConfiguration
    var transcript: Transcript
    var notes: [String] = []
  }

  private func setup() throws -> Setup {
    if let profile = transcript[.terminal] {
      return Setup(configuration: try TerminalConfiguration(json: Array(profile.utf8)), transcript: transcript)
    }
    let data = RecordedTerminalData(transcript)
    guard data.isComplete else {
      return Setup(configuration: try TerminalConfiguration(json: terminal), transcript: transcript)
    }
    let recorded = RecordedTerminalProfile(data: data, profile: terminal)
    var setup = Setup(configuration: try recorded.configuration(), transcript: transcript)
    for tag in recorded.unsupportedTags {
      setup.notes.append("\(tag) is not compared: no terminal profile can have the recorded value")
      for index in setup.transcript.exchanges.indices {
        setup.transcript.exchanges[index].notes.append(.directive(.varies, tag))
      }
    }
    return setup
  }

  private func request(at configuration: TerminalConfiguration) throws -> PaymentRequest {
    guard let amount = transcript[.amount], let currency = transcript[.currency], let moment = transcript.clock else {
      return try requestSentToCard(at: configuration)
    }
    let type = try transcript[.type].flatMap { try [UInt8](hex: $0).first } ?? 0
    return try PaymentOrder(
      amount: amount, cashback: transcript[.cashback], currency: currency, type: TransactionType(rawValue: type),
      moment: moment
    ).request(at: configuration)
  }

  /// The request as the terminal sent it to the card, for a recording without directives.
  private func requestSentToCard(at configuration: TerminalConfiguration) throws -> PaymentRequest {
    let data = RecordedTerminalData(transcript)
    guard data.isComplete, let moment = data.clock, let code = data[.transactionCurrencyCode],
      let numeric = data[.amountAuthorised], let type = data[.transactionType]?.first
    else { throw ReplayError.unusable("\(data)") }
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
