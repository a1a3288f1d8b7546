internal import Documents
internal import EMVTerminal
internal import JSON
internal import PaymentAcceptance
internal import Transcripts

/// What is checked in a scenario beside its own keys: the terminal, and whether it takes the payment.
extension ScenarioFile {
  /// The profile of the scenario's own terminal. A file that cannot be read is a problem.
  static func profile(
    of scenario: TapScenario, beside path: String, _ reader: inout ObjectReader
  ) -> [UInt8]? {
    switch scenario.terminal {
    case .shipped: return nil
    case .inline(let json): return json
    case .file(let name):
      do throws(ScenarioFileError) {
        return try content(of: place(of: name, beside: path))
      } catch {
        reader.note("terminal", "\(error)")
        return nil
      }
    }
  }

  /// The terminal of a profile; nil when it cannot be compiled, or a problem of its key is known already.
  static func terminal(_ profile: [UInt8], of scenario: TapScenario, _ reader: inout ObjectReader) -> Terminal? {
    guard !reader.problems.contains(where: { $0.path.hasPrefix("$.terminal") }) else { return nil }
    do throws(TerminalProfileError) {
      return try Terminal(profile)
    } catch {
      let place = scenario.terminal == .shipped ? "" : "terminal"
      for problem in error.problems { reader.note(place, "\(problem)") }
      return nil
    }
  }

  /// Checks that the terminal takes the payment, unless a problem of these keys is known already.
  static func check(
    _ scenario: TapScenario, at configuration: TerminalConfiguration, _ reader: inout ObjectReader
  ) {
    // A test by steps has no payment.
    guard scenario.cardTest == nil, let amounts = reader.value("amount"), reader.has("currency") else { return }
    let known = reader.problems.map(\.path)
    guard !["amount", "currency", "cashback"].contains(where: { known.contains("$.\($0)") }) else { return }
    let entries = amounts.list?.enumerated().map { ("amount[\($0)]", $1) } ?? [("amount", amounts)]
    for (place, value) in entries where !known.contains(where: { $0.hasPrefix("$.\(place)") }) {
      // Amounts beside a limit are known only when the terminal is.
      guard let amount = reader.scalar(value) else { continue }
      do throws(PaymentOrderError) {
        _ = try scenario.order(moment: nil, amount: amount).request(at: configuration)
      } catch {
        if case .amount = error {
          reader.note(place, error.reason)
        } else {
          // Every other amount has the same problem.
          return reader.note(error.key, error.reason)
        }
      }
    }
  }
}

extension TapScenario {
  /// The payment, at the scenario's own date and time when it has them.
  func order(moment: TransactionMoment?, amount text: String? = nil) throws(PaymentOrderError) -> PaymentOrder {
    var order = PaymentOrder(
      amount: text ?? amount, cashback: cashback, currency: currency, type: kind?.type, moment: moment)
    if date == nil, time == nil { return order }
    let now = if let moment { moment } else { try TransactionMoment.now() }
    order.moment = TransactionMoment(date: date ?? now.date, time: time ?? now.time)
    return order
  }
}

extension PaymentOrderError {
  /// The key of the scenario that is wrong.
  var key: String {
    switch self {
    case .amount: "amount"
    case .currency: "currency"
    case .cashback: "cashback"
    case .clock: "date"
    }
  }

  /// The reason without the name of the key.
  var reason: String {
    if case .cashback(let reason) = self { reason } else { "\(self)" }
  }
}
