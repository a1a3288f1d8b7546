import CardExploration
import EMVData
import EMVDecoding
import EMVTerminal
import ISO7816
import Octets
import PaymentAcceptance
import ProgramSupport
import Transcripts

/// A tap as text.
struct TapText {
  let verbosity: Verbosity
  let disclosure: Disclosure

  func lines(_ result: PaymentResult, _ request: PaymentRequest) -> [String] {
    (verbosity.quiet ? [] : exchanges(result)) + summary(result, request)
  }

  private func exchanges(_ result: PaymentResult) -> [String] {
    let shown = disclosure.shown(result.record.transcript).exchanges
    var context = DecodingContext()
    var lines: [String] = []
    for (exchange, octets) in zip(result.record.exchanges, shown) {
      let status = Console.status(of: octets.response, missing: "no answer")
      lines.append(
        "\(exchange.number). \(exchange.phase.rawValue)  \(status)  \(TimeUnit.microseconds.text(exchange.nanoseconds))"
      )
      if verbosity.verbose { lines += ExchangeText.lines(octets, &context) }
    }
    return lines
  }

  /// The outcome, one line for each fact; empty for a payment without one.
  func summary(_ result: PaymentResult, _ request: PaymentRequest) -> [String] {
    guard case .success(let receipt) = result else { return [] }
    let outcome = receipt.outcome
    var lines = receipt.restarts.map {
      "\($0.start == .issuerUpdate ? "presented again for the issuer's response" : "tried again"), start B: \($0.kind.rawValue)"
    }
    lines += ["outcome: \(Console.coloured(outcome.kind)) (\"\(outcome.message.text)\")"]
    lines.append("display: " + receipt.record.messages.map { "\"\($0.text)\"" }.joined(separator: ", "))
    lines += parameters(outcome)
    let cashback = request.amountOther.map { ", of which \($0) cashback" } ?? ""
    let type = [.purchase, .purchaseWithCashback].contains(request.type) ? "" : ", \(request.type)"
    lines.append("amount: \(request.amount) \(request.currency.alphabeticCode)\(cashback)\(type)")
    if let application = receipt.application {
      let owner = PaymentScheme.of(application.name).map { " (\($0.name))" } ?? ""
      lines.append(
        "application: \(application.name.hex)" + (application.label.map { " \(disclosure.shown($0).visible())" } ?? "")
          + owner)
    }
    lines.append("cardholder verification: \(outcome.verification.rawValue)")
    if let data = outcome.authorizationRequest { lines += cryptogram(data, outcome) }
    if let verdict = outcome.dataAuthentication { lines.append(authentication(verdict, receipt.record)) }
    if let answer = receipt.answer {
      lines.append("host: \(answer.text)")
      lines += answer.issuerData.dropped.map { "dropped from the host's response: \($0)" }
    }
    if let failure = outcome.failure { lines.append("reason: \(failure)") }
    lines += outcome.rejectedApplications.map { "left out: \($0)" }
    let count = receipt.exchanges.count
    lines.append(
      "card and link: \(Duration.nanoseconds(receipt.cardNanoseconds).text) in \(count.counted("exchange"))"
    )
    return lines
  }

  /// The parameters of an outcome that are not in every one, on one line.
  private func parameters(_ outcome: PaymentOutcome) -> [String] {
    let names: [(OutcomeParameter, String)] = [
      (.start, "start"), (.status, "reader"), (.hold, "message stays"), (.restartMessage, "next message"),
      (.fieldOff, "field off"), (.removalTimeout, "removal time-out"), (.alternateInterface, "alternate interface"),
      (.receipt, "receipt"),
    ]
    let found = names.compactMap { parameter, name -> String? in
      guard let value = parameter.value(in: outcome), value != .flag(false) else { return nil }
      return "\(name) \(value)"
    }
    return found.isEmpty ? [] : ["parameters: " + found.joined(separator: ", ")]
  }

  private func authentication(_ verdict: PaymentOutcome.DataAuthentication, _ record: PaymentRecord) -> String {
    let words =
      switch verdict {
      case .passed: "passed"
      case .failed(let failure): "failed, \(failure)"
      }
    let isTaken = !record.findings.authentication.taken.isEmpty
    return "offline data authentication: " + (isTaken ? "not judged, recorded as " : "") + words
  }

  private func cryptogram(_ data: AuthorizationRequest, _ outcome: PaymentOutcome) -> [String] {
    let number = disclosure.shows(data.accountNumber) ? data.accountNumber.exposedDigits : data.accountNumber.masked
    var lines = ["card: \(number)", cryptogram(data)]
    // Without a decision, the data for a host are shown.
    if outcome.kind == .onlineRequest {
      lines += data.elements.map { element in
        let name = DataElement.named(element.tag, kernel: data.kernel)?.name ?? "unknown"
        return "  \(element.tag) \(name): \(disclosure.shown(element, of: data.accountNumber))"
      }
    }
    return lines
  }

  private func cryptogram(_ data: AuthorizationRequest) -> String {
    guard let magStripe = MagStripeData(data) else {
      let type = data.cryptogramType?.rawValue ?? "none"
      return "cryptogram: \(type) \(data.cryptogram.hex), ATC \(data.transactionCounter)"
    }
    let verified = magStripe.isVerifiedOnDevice ? ", verified on the device" : ""
    return "checksum: CVC3 \(magStripe.cvc3Track2.hex), ATC \(magStripe.transactionCounter)\(verified)"
  }
}

extension Console {
  /// The word for an outcome: green when it is approved, red when it is declined, else yellow.
  static func coloured(_ outcome: PaymentOutcome.Kind) -> String {
    let colour: Colour =
      switch outcome {
      case .approved: .green
      case .declined, .endApplication: .red
      case .onlineRequest, .seePhone, .tryAgain, .otherInterface: .yellow
      }
    return coloured(outcome.rawValue, colour)
  }
}
