internal import EMVTerminal
internal import PaymentAcceptance

/// What is checked in a scenario beside its own keys: the terminal, and whether it takes the payment.
extension ScenarioFile {
  /// The profile of the scenario's own terminal. A file that cannot be read is a problem.
  static func profile(
    of scenario: TapScenario, beside path: String, _ root: ScenarioNode, _ reader: inout ScenarioReader
  ) -> [UInt8]? {
    switch scenario.terminal {
    case .shipped: return nil
    case .inline(let json): return json
    case .file(let name):
      do throws(ScenarioFileError) {
        return try content(of: place(of: name, beside: path))
      } catch {
        reader.note(root.member("terminal") ?? root, "\(error)")
        return nil
      }
    }
  }

  /// Checks that the terminal can be compiled and takes the payment, unless a problem of these keys is known already.
  func check(_ root: ScenarioNode, _ reader: inout ScenarioReader) {
    let known = reader.problems.map(\.path)
    guard !known.contains(where: { $0.hasPrefix("$.terminal") }) else { return }
    let configuration: TerminalConfiguration
    do throws(TerminalProfileError) {
      configuration = try TerminalConfiguration(json: ownProfile ?? standardProfile)
    } catch {
      for problem in error.problems {
        reader.note(root.member("terminal") ?? root, "\(problem)")
      }
      return
    }
    let keys = ["amount", "currency", "cashback"]
    guard !keys.contains(where: { root.member($0) == nil ? $0 != "cashback" : known.contains("$.\($0)") }) else {
      return
    }
    do throws(PaymentOrderError) {
      // Amounts beside a limit are known only when the terminal is.
      for case .fixed(let amount) in scenario.terminalTest?.amounts ?? [.fixed(scenario.amount)] {
        _ = try order(moment: nil, amount: amount).request(at: configuration)
      }
    } catch { reader.note(root.member(error.key) ?? root, error.reason) }
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
