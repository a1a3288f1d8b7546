public import EMVData
internal import EMVTerminal
public import ISO7816
internal import Links
internal import Octets
public import PaymentAcceptance

/// Compares a tap with the expectations of a scenario.
public struct ScenarioCheck: Sendable {
  /// Returns the text of a value, masked as far as it must be.
  ///
  /// - Parameters: The data element, and the card's account number when it was seen.
  public typealias Disclosure = @Sendable (TLVNode, PrimaryAccountNumber?) -> String

  private let expectations: TapExpectations
  private let show: Disclosure

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - expectations: The expectations.
  ///   - show: Returns the text of the card's values; the default masks cardholder data. Cardholder data in the
  ///     scenario
  ///     are always masked.
  public init(
    _ expectations: TapExpectations,
    show: @escaping Disclosure = { node, _ in DataElement.text(of: node.tag, node.value) }
  ) {
    self.expectations = expectations
    self.show = show
  }

  /// Returns every expectation that was not met, in the order of the tap's parts; empty for a tap that passes.
  ///
  /// - Parameter condition: What the issuer has done to the card; nil when it is not known, and then not checked.
  public func failures(
    in result: Result<PaymentReceipt, AcceptanceFailure>, _ condition: CardCondition? = nil
  ) -> [ScenarioFailure] {
    let evidence = TapEvidence(result)
    let state = condition.flatMap { one("card state", of: expectations.cardConditions.map(\.rawValue), $0.rawValue) }
    return linkFailures(evidence) + outcomeFailures(evidence) + (state.map { [$0] } ?? []) + exchangeFailures(evidence)
      + expectations.elements.flatMap { ElementCheck(expectation: $0, evidence: evidence, show: show).failures }
  }

  private func linkFailures(_ evidence: TapEvidence) -> [ScenarioFailure] {
    guard !expectations.errors.isEmpty else { return [] }
    let got = evidence.linkError?.code
    guard !expectations.errors.contains(where: { $0 == got }) else { return [] }
    let last = got == nil ? nil : evidence.exchanges.last
    return [
      .init(last, "link", expectations.errors.map(\.rawValue).choice, got?.rawValue ?? "no link error")
    ]
  }

  private func outcomeFailures(_ evidence: TapEvidence) -> [ScenarioFailure] {
    let outcome = evidence.outcome
    let name = evidence.application?.name
    let reason = evidence.reason.map { "\($0)" }
    let because = reason.map { " (\($0))" } ?? ""
    return [
      one("outcome", of: expectations.outcomes.map(\.rawValue), outcome?.kind.rawValue, because),
      one("message", of: expectations.messages.map(\.text), outcome?.message.text),
      displayFailure(evidence),
      one("cardholder verification", of: expectations.verifications.map(\.rawValue), outcome?.verification.rawValue),
      one("cryptogram", of: expectations.cryptograms.map(\.description), evidence.cryptogram.description),
      one(
        "second cryptogram", of: expectations.secondCryptograms.map(\.description),
        evidence.secondCryptogram.description),
      expectations.applications.isEmpty || expectations.applications.contains { name?.starts(with: $0) == true }
        ? nil : .init(nil, "application", expectations.applications.map(\.hex).choice, name?.hex ?? "none"),
      expectations.reason.flatMap { words -> ScenarioFailure? in
        reason?.lowercased().contains(words.lowercased()) == true
          ? nil : .init(nil, "reason", "\"\(words)\"", reason.map { "\"\($0)\"" } ?? "none")
      },
      expectations.leftOut.flatMap { words -> ScenarioFailure? in
        let reasons = outcome?.rejectedApplications.map(\.description) ?? []
        return reasons.contains { $0.lowercased().contains(words.lowercased()) }
          ? nil : .init(nil, "application left out", "\"\(words)\"", reasons.isEmpty ? "none" : reasons.choice)
      },
    ].compactMap { $0 } + parameterFailures(outcome)
  }

  private func displayFailure(_ evidence: TapEvidence) -> ScenarioFailure? {
    let shown = evidence.messages.map(\.message)
    guard !expectations.display.isEmpty, shown != expectations.display else { return nil }
    func list(_ messages: [CardholderMessage]) -> String { messages.map { "\"\($0.text)\"" }.joined(separator: ", ") }
    return .init(nil, "display", list(expectations.display), list(shown))
  }

  private func parameterFailures(_ outcome: PaymentOutcome?) -> [ScenarioFailure] {
    return OutcomeParameter.allCases.compactMap { parameter in
      guard let wanted = expectations.parameters[parameter] else { return nil }
      let got = outcome.flatMap { parameter.value(in: $0)?.description } ?? "none"
      guard !wanted.contains(where: { plain($0) == plain(got) }) else { return nil }
      return .init(nil, "parameter \(parameter.rawValue)", wanted.choice, got)
    }
  }

  /// One of several names, or a failure.
  private func one(
    _ element: String, of names: [String], _ got: String?, _ remark: String = ""
  ) -> ScenarioFailure? {
    guard !names.isEmpty, !names.contains(where: { $0 == got }) else { return nil }
    return .init(nil, element, names.choice, (got ?? "none") + remark)
  }

  private func exchangeFailures(_ evidence: TapEvidence) -> [ScenarioFailure] {
    var failures: [ScenarioFailure] = []
    if let range = expectations.exchangeCount, !range.contains(evidence.exchanges.count) {
      let wanted = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
      failures.append(.init(evidence.exchanges.last, "number of exchanges", wanted, "\(evidence.exchanges.count)"))
    }
    failures += expectations.statuses.flatMap { statusFailures($0, evidence.exchanges) }
    failures += expectations.budgets.flatMap { timeFailures($0, evidence.exchanges) }
    let total = evidence.exchanges.reduce(0) { $0 &+ $1.nanoseconds }
    if let budget = expectations.wholeTap, total > budget {
      failures.append(
        .init(
          nil, "time of the whole tap", "at most \(TimeUnit.milliseconds.text(budget))",
          TimeUnit.milliseconds.text(total)))
    }
    return failures
  }

  private func statusFailures(_ wanted: StatusExpectation, _ exchanges: [Exchange]) -> [ScenarioFailure] {
    let element = "status word"
    let selected = wanted.commands.selected(from: exchanges)
    if selected.isEmpty {
      return [.init(nil, "status word of \(wanted.commands)", wanted.patterns.choice, "no such exchange")]
    }
    return selected.compactMap { exchange -> ScenarioFailure? in
      guard let response = exchange.response, response.count >= 2 else {
        return .init(exchange, element, wanted.patterns.choice, "no response")
      }
      let status = Array(response.suffix(2))
      return wanted.allows(status) ? nil : .init(exchange, element, wanted.patterns.choice, status.hex)
    }
  }

  private func timeFailures(_ budget: TimeBudget, _ exchanges: [Exchange]) -> [ScenarioFailure] {
    let limit = "at most \(TimeUnit.milliseconds.text(budget.nanoseconds))"
    let selected = budget.commands.selected(from: exchanges)
    if selected.isEmpty, budget.commands != .everyCommand {
      return [.init(nil, "time of \(budget.commands)", limit, "no such exchange")]
    }
    return selected.filter { $0.nanoseconds > budget.nanoseconds }.map {
      .init($0, "time", limit, TimeUnit.milliseconds.text($0.nanoseconds))
    }
  }
}

extension ScenarioFailure {
  init(_ exchange: Exchange?, _ element: String, _ expected: String, _ got: String, tag: Tag? = nil) {
    self.init(
      exchange: exchange?.number, command: exchange?.name, tag: tag, element: element, expected: expected, got: got)
  }
}

extension [String] {
  /// The alternatives as text.
  var choice: String { joined(separator: " or ") }
}
