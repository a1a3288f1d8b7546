public import EMVData
internal import EMVTerminal
public import ISO7816
internal import Octets
public import PaymentAcceptance
public import Transcripts

/// What a tap of a terminal left behind: the commands that the card recorded, and what a person saw.
public struct TerminalTap: Sendable {
  /// The exchanges; the number of the tap is that of the presentation.
  public var exchanges: [Exchange]
  /// The values of the payment that was asked for, by tag; several where the day may have changed.
  public var entered: [Tag: [[UInt8]]]
  /// What a person saw at the end; nil without an answer, or for one that is not in the list.
  public var shown: TerminalExpectations.Shown?
  /// What a person wrote down; nil for nothing.
  public var comment: String?
  /// Asks what a person saw, when the tap has no answer yet; nil without a person.
  public var observation: Observation?
  /// The changes of the card that were to apply in the tap and did not, in words.
  public var missingChanges: [String] = []
  /// The longest time that the link takes in an exchange; nil when it is not known.
  public var linkShare: Duration?
  /// The recording of the card's side, unredacted; nil for none.
  public var transcript: Transcript?

  /// Returns what a person saw. May wait for the person.
  public typealias Observation = @Sendable () async -> TerminalAnswer

  /// Creates a tap.
  public init(exchanges: [Exchange], entered: [Tag: [[UInt8]]] = [:], shown: TerminalExpectations.Shown? = nil) {
    (self.exchanges, self.entered, self.shown) = (exchanges, entered, shown)
  }
}

/// Compares the taps of a terminal with the expectations of a scenario. It keeps the values that must not repeat.
public struct TerminalCheck: Sendable {
  let expectations: TerminalExpectations
  private let show: ScenarioCheck.Disclosure
  private var seen: [Tag: Set<[UInt8]>] = [:]

  /// Creates a check for all taps of a scenario.
  ///
  /// - Parameter show: Returns the text of a value; the default masks cardholder data.
  public init(
    _ expectations: TerminalExpectations,
    show: @escaping ScenarioCheck.Disclosure = { node, _ in DataElement.text(of: node.tag, node.value) }
  ) {
    (self.expectations, self.show) = (expectations, show)
  }

  /// Why a tap without a difference cannot be judged; nil when it can.
  public func gap(in tap: TerminalTap) -> String? {
    if !tap.missingChanges.isEmpty {
      return "\(tap.missingChanges.joined(separator: ", ")) never applied: the exchange for which it waits did not come"
    }
    if let refusal = tap.exchanges.refusal, !expectations.isSeen(in: tap.exchanges) {
      return "the card refused the form of exchange \(refusal.number), \(refusal.name): what follows was not seen"
    }
    return lacksObservation(tap) ? "what the terminal showed was not reported" : nil
  }

  /// Whether the scenario asks what a person saw, and there is no answer.
  public func lacksObservation(_ tap: TerminalTap) -> Bool { !expectations.shown.isEmpty && tap.shown == nil }

  /// Returns every expectation that the next tap did not meet.
  public mutating func failures(in tap: TerminalTap) -> [ScenarioFailure] {
    let evidence = TapEvidence(ofTerminal: tap.exchanges)
    return sequenceFailures(tap.exchanges) + countFailures(tap.exchanges)
      + applicationFailures(tap.exchanges)
      + expectations.rules.flatMap { $0.failures(in: tap.exchanges) }
      + expectations.forms.flatMap { formFailures($0, tap.exchanges) }
      + expectations.elements.flatMap { ElementCheck(expectation: $0, evidence: evidence, show: show).failures }
      + enteredFailures(tap, evidence) + repetitions(evidence) + shownFailures(tap)
  }

  private func sequenceFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let commands = exchanges.withWholeResponses
    guard !expectations.sequence.isEmpty,
      let difference = ExpectedSequence(expectations.sequence).difference(in: commands.map(\.phase.rawValue))
    else { return [] }
    let found = difference.index < commands.count ? commands[difference.index] : nil
    let wanted = difference.expected.isEmpty ? "no further command" : difference.expected.choice
    return [
      ScenarioFailure(
        found ?? commands.last, "sequence of commands", wanted, found?.phase.rawValue ?? "no further command")
    ]
  }

  private func countFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let presentations = Set(exchanges.map(\.tap)).count
    return [
      ("number of exchanges", expectations.exchangeCount, exchanges.count),
      ("number of presentations", expectations.presentations, presentations),
    ].compactMap { element, range, count in
      guard let range, !range.contains(count) else { return nil }
      let wanted = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
      return ScenarioFailure(exchanges.last, element, wanted, "\(count)")
    }
  }

  private func applicationFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    guard !expectations.applications.isEmpty else { return [] }
    let selected = exchanges.filter { $0.phase.rawValue == "SELECT AID" }.map { commandData($0.command) }
    // An application that is selected again at once is a matter of the sequence.
    guard selected.withoutNeighbours != expectations.applications.withoutNeighbours else { return [] }
    func list(_ names: [[UInt8]]) -> String { names.isEmpty ? "none" : names.map(\.hex).joined(separator: ", ") }
    return [ScenarioFailure(nil, "selected applications", list(expectations.applications), list(selected))]
  }

  private func formFailures(_ form: TerminalExpectations.Form, _ exchanges: [Exchange]) -> [ScenarioFailure] {
    let element = "bytes of \(form.commands)"
    let selected = form.commands.selected(from: exchanges)
    // A command that never came is no fault of its own when the card has refused an earlier one.
    if selected.isEmpty {
      return exchanges.refusal == nil ? [.init(nil, element, form.pattern, "no such command")] : []
    }
    return selected.compactMap { exchange in
      let start = String(exchange.command.hex.prefix(form.pattern.count))
      let isSame =
        start.count == form.pattern.count && zip(start, form.pattern).allSatisfy { $0 == $1 || $1 == "X" }
      return isSame ? nil : ScenarioFailure(exchange, element, form.pattern, start)
    }
  }

  private func enteredFailures(_ tap: TerminalTap, _ evidence: TapEvidence) -> [ScenarioFailure] {
    let tags = expectations.entered + (expectations.isConfigured ? [.terminalTransactionQualifiers] : [])
    return tags.compactMap { tag in
      let element = "\(tag) \(DataElement.named(tag)?.name ?? "unknown")"
      let wanted = tap.entered[tag] ?? []
      let choice = wanted.map { DataElement.text(of: tag, $0) }.choice
      guard let found = evidence.value(of: tag) else {
        return ScenarioFailure(nil, element, choice, "absent", tag: tag)
      }
      guard !wanted.contains(found.value) else { return nil }
      return ScenarioFailure(found.exchange, element, choice, DataElement.text(of: tag, found.value), tag: tag)
    }
  }

  private mutating func repetitions(_ evidence: TapEvidence) -> [ScenarioFailure] {
    expectations.fresh.compactMap { tag in
      let element = "\(tag) \(DataElement.named(tag)?.name ?? "unknown")"
      // In one presentation the same value goes to several commands.
      let values = Dictionary(
        evidence.sightings.filter { $0.tag == tag && !$0.isFromCard }.map { ($0.exchange.tap, $0) },
        uniquingKeysWith: { first, _ in first })
      if values.isEmpty { return ScenarioFailure(nil, element, "a new value", "absent", tag: tag) }
      let before = seen[tag, default: []].count
      for sighting in values.sorted(by: { $0.key < $1.key }).map(\.value)
      where !seen[tag, default: []].insert(sighting.value).inserted {
        return ScenarioFailure(sighting.exchange, element, "a new value", "the value of an earlier tap", tag: tag)
      }
      return bias(of: tag, after: before, element)
    }
  }

  // Each time that the values of the tap complete 200 more.
  private func bias(of tag: Tag, after before: Int, _ element: String) -> ScenarioFailure? {
    let values = seen[tag, default: []]
    guard values.count / BitFrequency.count > before / BitFrequency.count, let bias = BitFrequency.bias(in: values)
    else { return nil }
    return ScenarioFailure(
      nil, "\(element), byte \(bias.octet) bit \(bias.bit)",
      "set in \(bias.allowed.lowerBound) to \(bias.allowed.upperBound) of \(values.count) values",
      "set in \(bias.found)", tag: tag)
  }

  private func shownFailures(_ tap: TerminalTap) -> [ScenarioFailure] {
    guard let shown = tap.shown, !expectations.shown.isEmpty, !expectations.shown.contains(shown) else { return [] }
    return [ScenarioFailure(nil, "shown", expectations.shown.map(\.rawValue).choice, shown.rawValue)]
  }
}

/// The data of a command; empty for a command without data and for one that is malformed.
func commandData(_ command: [UInt8]) -> [UInt8] {
  guard let layout = try? CommandLayout(parsing: command.span) else { return [] }
  return Array(command[layout.dataOffset..<layout.dataOffset + layout.dataCount])
}

extension [[UInt8]] {
  /// Without values that equal the one before.
  fileprivate var withoutNeighbours: [[UInt8]] {
    reduce(into: []) { kept, value in
      if kept.last != value { kept.append(value) }
    }
  }
}
