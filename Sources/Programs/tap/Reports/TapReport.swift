import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Transcripts

extension JSONObject {
  /// The result of a tap. Bytes are hexadecimal; cardholder data are masked unless they may be shown. Keys of an outcome
  /// are left out when none was reached.
  init(_ result: PaymentResult, _ request: PaymentRequest, _ disclosure: Disclosure) {
    let (record, receipt) = (result.record, try? result.get())
    let outcome = receipt?.outcome
    self = [
      "outcome": outcome?.kind.rawValue,
      "message": outcome?.message.text,
      "parameters": outcome.map(Self.parameters),
      "messages": record.messages.map(Self.message),
      "reason": outcome?.failure.map { "\($0)" },
      "applicationsLeftOut": outcome?.rejectedApplications.map(\.description) ?? [],
      "cvm": outcome?.verification.rawValue,
      "amount": "\(request.amount)",
      "type": "\(request.type)",
      "cashback": request.amountOther.map { "\($0)" },
      "currency": request.currency.numericCode,
      "currencyLetters": request.currency.alphabeticCode,
      "application": receipt?.application.map { Self.application($0, disclosure) },
      "cryptogram": outcome?.authorizationRequest.map { Self.cryptogram($0, disclosure) },
      "dataAuthentication": outcome?.dataAuthentication.map {
        Self.dataAuthentication($0, isRecorded: !record.findings.authentication.taken.isEmpty)
      },
      "host": receipt?.answer.map(Self.host),
      "restarts": record.restarts.map(Self.restart),
      "exchanges": Self.exchanges(record, disclosure),
      "total_ns": record.cardNanoseconds,
      "error": Self.failure(result),
    ]
  }

  /// Times are in milliseconds, with `_ms` behind their names. A parameter without a value is left out.
  private static func parameters(_ outcome: PaymentOutcome) -> JSONObject {
    JSONObject(
      OutcomeParameter.allCases.map { parameter in
        switch parameter.value(in: outcome) {
        case .text(let text)?: (parameter.rawValue, text)
        case .flag(let flag)?: (parameter.rawValue, flag)
        case .milliseconds(let count)?: (parameter.rawValue + "_ms", count)
        case nil: (parameter.rawValue, nil)
        }
      })
  }

  /// A message on the display. Its identifier is two hexadecimal digits; the status is left out where the state of the
  /// reader stays as it was.
  private static func message(_ request: UserInterfaceRequest) -> JSONObject {
    [
      "identifier": request.message.rawValue.hex, "text": request.text, "language": request.language.rawValue,
      "status": request.status?.rawValue, "hold_ms": request.holdMilliseconds > 0 ? request.holdMilliseconds : nil,
    ]
  }

  /// The provider is the owner of the AID; it is left out when it is not known.
  private static func application(_ application: SelectedApplication, _ disclosure: Disclosure) -> JSONObject {
    [
      "aid": application.name.hex, "label": application.label.map { disclosure.shown($0) },
      "provider": PaymentScheme.of(application.name)?.name,
    ]
  }

  /// `data` has every data element that a host gets, by tag.
  private static func cryptogram(_ request: AuthorizationRequest, _ disclosure: Disclosure) -> JSONObject {
    let magStripe = MagStripeData(request)
    let data = request.elements.map { ($0.tag.description, disclosure.shown($0, of: request.accountNumber)) }
    return [
      "type": request.cryptogramType?.rawValue ?? "CVC3",
      "value": magStripe.map { $0.cvc3Track2.hex } ?? request.cryptogram.hex,
      "transactionCounter": request.transactionCounter,
      "issuerApplicationData": request.issuerApplicationData.hex,
      "unpredictableNumber": request.unpredictableNumber.hex,
      "panSequenceNumber": request.value(.panSequenceNumber)?.hex,
      "verifiedOnDevice": magStripe?.isVerifiedOnDevice,
      "data": Dictionary(data, uniquingKeysWith: { first, _ in first }),
    ]
  }

  /// `recorded` is true when the verdict is that of a redacted recording, and left out when the terminal has checked the
  /// card.
  private static func dataAuthentication(
    _ authentication: PaymentOutcome.DataAuthentication, isRecorded: Bool
  ) -> JSONObject {
    let recorded = isRecorded ? true : nil
    return switch authentication {
    case .passed: ["result": "passed", "recorded": recorded]
    case .failed(let failure): ["result": "failed", "reason": "\(failure)", "recorded": recorded]
    }
  }

  /// Tags 8A and 91, and templates 71 and 72, of the issuer's response, and the parts of it that were dropped.
  private static func host(_ answer: AuthorizationResponse) -> JSONObject {
    let (decision, code, reason): (String, String?, String?) =
      switch answer.decision {
      case .approved(let code): ("approved", code, nil)
      case .declined(let reason): ("declined", nil, reason)
      case .unknownCard(let reason): ("unknown card", nil, reason)
      }
    let data = answer.issuerData
    return [
      "decision": decision, "code": code, "reason": reason, "responseCode": data.responseCode?.hex,
      "authenticationData": data.authenticationData?.hex,
      "scripts": data.scripts.isEmpty ? nil : data.scripts.encoded.hex,
      "dropped": data.dropped.isEmpty ? nil : data.dropped,
    ]
  }

  /// A tap after which the same payment was tried again.
  private static func restart(_ restart: Restart) -> JSONObject {
    [
      "start": PaymentOutcome.Restart.start, "issuerResponse": restart.start == .issuerUpdate ? true : nil,
      "outcome": restart.kind.rawValue, "message": restart.message.text,
      "reason": restart.failure.map { "\($0)" }, "exchanges": restart.exchangeCount,
    ]
  }

  private static func exchanges(_ record: PaymentRecord, _ disclosure: Disclosure) -> [JSONObject] {
    zip(record.exchanges, disclosure.shown(record.transcript).exchanges).map { exchange, shown in
      [
        "number": exchange.number, "phase": exchange.phase.rawValue, "command": shown.command.hex,
        "response": shown.response?.hex, "status": shown.response?.statusText, "time_ns": exchange.nanoseconds,
      ]
    }
  }

  private static func failure(_ result: PaymentResult) -> JSONObject? {
    guard case .failure(let failure) = result else { return nil }
    return .failure(failure.linkError?.code.rawValue ?? ErrorCode.request.rawValue, "\(failure)")
  }
}
