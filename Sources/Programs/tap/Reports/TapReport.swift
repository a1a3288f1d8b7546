import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Transcripts

/// The result of a tap as JSON. Bytes are hexadecimal; cardholder data are masked unless they may be shown.
struct TapReport: Encodable {
  struct Application: Encodable {
    let aid: String
    let label: String?
    /// The owner of the AID; left out when it is not known.
    let provider: String?
  }

  struct Cryptogram: Encodable {
    let type: String
    let value: String
    let transactionCounter: UInt16
    let issuerApplicationData: String
    let unpredictableNumber: String
    let panSequenceNumber: String?
    /// Mag-stripe mode: whether the card says that the device verified its holder.
    let verifiedOnDevice: Bool?
    /// Every data element that a host gets, by tag.
    let data: [String: String]
  }

  struct DataAuthentication: Encodable {
    let result: String
    /// The check that failed; left out when all passed.
    let reason: String?
    /// True when the verdict is that of a redacted recording; left out when the terminal has checked the card.
    let recorded: Bool?

    init(_ authentication: PaymentOutcome.DataAuthentication, isRecorded: Bool) {
      recorded = isRecorded ? true : nil
      switch authentication {
      case .passed: (result, reason) = ("passed", nil)
      case .failed(let failure): (result, reason) = ("failed", "\(failure)")
      }
    }
  }

  struct Host: Encodable {
    let decision: String
    let code: String?
    let reason: String?
    /// Tags 8A and 91, and templates 71 and 72, of the issuer's response; nil without them.
    let responseCode: String?
    let authenticationData: String?
    let scripts: String?
    /// The parts of the response that were dropped; nil when none was.
    let dropped: [String]?
  }

  struct ExchangeLine: Encodable {
    let number: Int
    let phase: String
    let command: String
    let response: String?
    let status: String?
    let time: Int64

    private enum CodingKeys: String, CodingKey {
      case number, phase, command, response, status
      case time = "time_ns"
    }
  }

  /// A tap after which the same payment was tried again.
  struct RestartLine: Encodable {
    let start: String
    let outcome: String
    let message: String
    let reason: String?
    let exchanges: Int
  }

  struct Failure: Encodable {
    let code: String
    let message: String
  }

  let outcome: String?
  let message: String?
  /// Left out when no outcome was reached.
  let parameters: OutcomeReport?
  /// What the display showed, in order.
  let messages: [MessageLine]
  let reason: String?
  /// The applications of the card that were left out, one line each.
  let applicationsLeftOut: [String]
  let cvm: String?
  let amount: String
  /// The part of the amount that is paid out in cash.
  let cashback: String?
  /// The three digits of ISO 4217.
  let currency: String
  /// The three letters of ISO 4217.
  let currencyLetters: String
  let application: Application?
  let cryptogram: Cryptogram?
  /// Left out when the terminal did not authenticate the card.
  let dataAuthentication: DataAuthentication?
  let host: Host?
  /// In order; empty when the first tap was the last.
  let restarts: [RestartLine]
  let exchanges: [ExchangeLine]
  let total: Int64
  let error: Failure?

  private enum CodingKeys: String, CodingKey {
    case outcome, message, parameters, messages, reason, applicationsLeftOut, cvm, amount, cashback, currency
    case currencyLetters, application, cryptogram, dataAuthentication, host, restarts, exchanges, error
    case total = "total_ns"
  }

  init(_ result: PaymentResult, _ request: PaymentRequest, _ disclosure: Disclosure) {
    let receipt = try? result.get()
    let outcome = receipt?.outcome
    self.outcome = outcome?.kind.rawValue
    message = outcome?.message.text
    parameters = outcome.map(OutcomeReport.init)
    messages = result.record.messages.map(MessageLine.init)
    reason = outcome?.failure.map { "\($0)" }
    applicationsLeftOut = outcome?.rejectedApplications.map(\.description) ?? []
    cvm = outcome.map(\.verification.rawValue)
    amount = "\(request.amount)"
    cashback = request.amountOther.map { "\($0)" }
    currency = request.currency.numericCode
    currencyLetters = request.currency.alphabeticCode
    application = receipt?.application.map {
      Application(
        aid: $0.name.hex, label: $0.label.map { disclosure.shown($0) },
        provider: PaymentScheme.of($0.name)?.name)
    }
    cryptogram = outcome?.authorizationRequest.map { Cryptogram($0, disclosure) }
    dataAuthentication = outcome?.dataAuthentication.map {
      DataAuthentication($0, isRecorded: !result.record.findings.authentication.taken.isEmpty)
    }
    host = receipt?.answer.map(Host.init)
    restarts = result.record.restarts.map(RestartLine.init)
    exchanges = Self.lines(result, disclosure)
    total = result.record.cardNanoseconds
    error = Self.failure(result)
  }

  private static func failure(_ result: PaymentResult) -> Failure? {
    guard case .failure(let failure) = result else { return nil }
    return Failure(code: failure.linkError?.code.rawValue ?? ErrorCode.request.rawValue, message: "\(failure)")
  }

  private static func lines(_ result: PaymentResult, _ disclosure: Disclosure) -> [ExchangeLine] {
    zip(result.record.exchanges, disclosure.shown(result.record.transcript).exchanges).map { exchange, shown in
      ExchangeLine(
        number: exchange.number, phase: exchange.phase.rawValue, command: shown.command.hex,
        response: shown.response?.hex, status: shown.response.map { Array($0.suffix(2)).hex },
        time: exchange.nanoseconds)
    }
  }
}

/// A tap that came to no exchange at all, as JSON.
struct ErrorReport: Encodable {
  let error: TapReport.Failure

  init(code: ErrorCode, message: String) { error = TapReport.Failure(code: code.rawValue, message: message) }

  init(_ error: any Error) {
    self.error = TapReport.Failure(code: ErrorCode.name(of: error), message: "\(error)")
  }
}

extension TapReport.Cryptogram {
  init(_ request: AuthorizationRequest, _ disclosure: Disclosure) {
    type = request.cryptogramType?.rawValue ?? "CVC3"
    let magStripe = MagStripeData(request)
    value = magStripe.map { $0.cvc3Track2.hex } ?? request.cryptogram.hex
    verifiedOnDevice = magStripe?.isVerifiedOnDevice
    transactionCounter = request.transactionCounter
    issuerApplicationData = request.issuerApplicationData.hex
    unpredictableNumber = request.unpredictableNumber.hex
    panSequenceNumber = request.value(.panSequenceNumber)?.hex
    data = Dictionary(
      request.elements.map { ($0.tag.description, disclosure.shown($0, of: request.accountNumber)) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension TapReport.Host {
  init(_ answer: AuthorizationResponse) {
    let data = answer.issuerData
    responseCode = data.responseCode?.hex
    authenticationData = data.authenticationData?.hex
    scripts = data.scripts.isEmpty ? nil : data.scripts.encoded.hex
    dropped = data.dropped.isEmpty ? nil : data.dropped
    switch answer.decision {
    case .approved(let code): (decision, self.code, reason) = ("approved", code, nil)
    case .declined(let reason): (decision, code, self.reason) = ("declined", nil, reason)
    case .unknownCard(let reason): (decision, code, self.reason) = ("unknown card", nil, reason)
    }
  }
}

extension TapReport.RestartLine {
  init(_ restart: Restart) {
    (start, outcome, message) = (restart.start.rawValue, restart.kind.rawValue, restart.message.text)
    reason = restart.failure.map { "\($0)" }
    exchanges = restart.exchangeCount
  }
}
