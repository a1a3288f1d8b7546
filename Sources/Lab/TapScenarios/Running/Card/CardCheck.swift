public import EMVData
public import ISO7816
internal import Octets
internal import PaymentAcceptance

/// Compares the taps of a card with the expectations of a scenario. It keeps the values of the taps before.
public struct CardCheck: Sendable {
  private let test: CardTest
  private let show: ScenarioCheck.Disclosure
  private var seen: [Tag: [[UInt8]]] = [:]
  private var responses: [CommandSelector: Set<[UInt8]>] = [:]

  /// Creates a check for all taps of a scenario.
  ///
  /// - Parameter show: Returns the text of a value; the default masks cardholder data.
  public init(
    _ test: CardTest,
    show: @escaping ScenarioCheck.Disclosure = { node, _ in DataElement.text(of: node.tag, node.value) }
  ) {
    (self.test, self.show) = (test, show)
  }

  /// Returns every expectation that the next tap did not meet. Times are not among them.
  public mutating func failures(in tap: CardTap) -> [ScenarioFailure] {
    let evidence = TapEvidence(ofCard: tap.exchanges)
    return stepFailures(tap, evidence) + missing(tap)
      + test.expectations.rules.flatMap { $0.failures(in: tap.exchanges.withWholeResponses) }
      + test.expectations.elements.flatMap { ElementCheck(expectation: $0, evidence: evidence, show: show).failures }
      + valueFailures(evidence) + distinctionFailures(tap)
  }

  /// Returns the differences of the responses of a card that was lost before the last step.
  public func certainFailures(in tap: CardTap) -> [ScenarioFailure] {
    stepFailures(tap, TapEvidence(ofCard: tap.exchanges))
  }

  /// Returns every time that was exceeded. The whole time of an exchange counts at a reader whose share is not known:
  /// such a time is a warning.
  public func lateness(in tap: CardTap) -> [ScenarioFailure] {
    let share = tap.linkShare?.nanoseconds ?? 0
    let ofSteps = zip(tap.exchanges, tap.steps).compactMap { exchange, step in
      test.steps[step].expectations.longest.flatMap { late(exchange, $0, share) }
    }
    let ofCommands = test.expectations.budgets.flatMap { budget in
      budget.commands.selected(from: tap.exchanges).compactMap { late($0, budget.nanoseconds, share) }
    }
    let total = tap.exchanges.reduce(0) { $0 &+ max(0, $1.nanoseconds &- share) }
    let whole = test.expectations.wholeTap.flatMap { limit in
      total > limit
        ? ScenarioFailure(
          nil, "time of the whole tap", "at most \(TimeUnit.milliseconds.text(limit))",
          TimeUnit.milliseconds.text(total)) : nil
    }
    return ofSteps + ofCommands + (whole.map { [$0] } ?? [])
  }

  private func late(_ exchange: Exchange, _ limit: Int64, _ share: Int64) -> ScenarioFailure? {
    let time = exchange.nanoseconds &- share
    guard time > limit else { return nil }
    return ScenarioFailure(
      exchange, "time of \(exchange.name)", "at most \(TimeUnit.milliseconds.text(limit))",
      TimeUnit.milliseconds.text(time))
  }

  private func stepFailures(_ tap: CardTap, _ evidence: TapEvidence) -> [ScenarioFailure] {
    zip(tap.exchanges, tap.steps).flatMap { exchange, step -> [ScenarioFailure] in
      // The parts of a response are judged with the last one, which follows in the same step.
      let next = tap.exchanges.dropFirst(exchange.number).first
      let isPart = exchange.response?.dropLast().last == 0x61 && next?.instruction == Instruction.getResponse
      let expectations = test.steps[step].expectations
      if isPart, !expectations.statuses.contains(where: { $0.hasPrefix("61") }) { return [] }
      let status = (exchange.response ?? []).suffix(2).hex
      let isRight =
        expectations.statuses.isEmpty
        || expectations.statuses.contains { zip($0, status).allSatisfy { $0 == "x" || $0 == $1 } }
      let wrong =
        isRight
        ? [] : [ScenarioFailure(exchange, "status word of \(exchange.name)", expectations.statuses.choice, status)]
      let own = evidence.only(exchange.number)
      return wrong + expectations.elements.flatMap { ElementCheck(expectation: $0, evidence: own, show: show).failures }
    }
  }

  private func missing(_ tap: CardTap) -> [ScenarioFailure] {
    guard let (step, name) = tap.missing else { return [] }
    return [ScenarioFailure(tap.exchanges.last, "step \(step + 1)", "\(name) from the card", "none")]
  }

  private mutating func valueFailures(_ evidence: TapEvidence) -> [ScenarioFailure] {
    var failures: [ScenarioFailure] = []
    let expected = test.expectations
    for tag in Set(expected.fresh + expected.constant + expected.rising).sorted(by: { $0.rawValue < $1.rawValue }) {
      let name = "\(tag) \(DataElement.named(tag)?.name ?? "unknown")"
      let sightings = evidence.fromCard(tag)
      if sightings.isEmpty { failures.append(ScenarioFailure(nil, name, "present", "absent", tag: tag)) }
      for (value, exchange) in sightings {
        let before = seen[tag] ?? []
        let text = show(TLVNode(tag, value), nil)
        func fail(_ wanted: String) { failures.append(ScenarioFailure(exchange, name, wanted, text, tag: tag)) }
        if expected.fresh.contains(tag), before.contains(value) { fail("a value that was not sent before") }
        if expected.constant.contains(tag), let first = before.first, first != value { fail("the first tap's value") }
        if expected.rising.contains(tag), let last = before.last, !last.lexicographicallyPrecedes(value) {
          fail("more than before, \(show(TLVNode(tag, last), nil))")
        }
        seen[tag, default: []].append(value)
      }
    }
    return failures
  }

  private mutating func distinctionFailures(_ tap: CardTap) -> [ScenarioFailure] {
    test.expectations.distinct.flatMap { commands -> [ScenarioFailure] in
      let element = "responses to \(commands)"
      let answered = commands.selected(from: tap.exchanges).filter(\.isNormal)
      if answered.isEmpty { return [ScenarioFailure(nil, element, "at least one", "none")] }
      return answered.compactMap { exchange in
        let isNew = responses[commands, default: []].insert(exchange.response ?? []).inserted
        return isNew ? nil : ScenarioFailure(exchange, element, "different bytes each time", "the same bytes")
      }
    }
  }
}

extension TapEvidence {
  /// The evidence of one exchange.
  fileprivate func only(_ number: Int) -> TapEvidence {
    filtered { $0.exchange.number == number && $0.isFromCard }
  }

  /// The values of a tag that the card sent, in order.
  fileprivate func fromCard(_ tag: Tag) -> [(value: [UInt8], exchange: Exchange)] {
    sightings.filter { $0.tag == tag && $0.isFromCard }.map { ($0.value, $0.exchange) }
  }
}
