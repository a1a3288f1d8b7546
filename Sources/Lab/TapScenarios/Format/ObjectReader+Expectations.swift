internal import Documents
internal import EMVData
internal import EMVTerminal
internal import JSON
internal import Links

extension ObjectReader {
  /// What must come of a tap.
  mutating func tapExpectations() -> TapExpectations {
    var expectations = TapExpectations()
    expectations.outcomes = each("outcome") { $2.named($0, at: $1) }
    expectations.messages = each("message") { $2.named($0, at: $1, of: Self.messages) }
    expectations.display = each("display") { $2.named($0, at: $1, of: Self.messages) }
    expectations.parameters = parameters("parameters")
    expectations.leftOut = line("leftOut")
    expectations.verifications = each("cvm") { $2.named($0, at: $1) }
    expectations.cryptograms = each("cryptogram") { $2.named($0, at: $1, of: Self.cryptograms) }
    expectations.secondCryptograms = each("secondCryptogram") { $2.named($0, at: $1, of: Self.secondCryptograms) }
    expectations.cardConditions = each("cardState") { $2.named($0, at: $1) }
    expectations.applications = each("application") { $2.octets($0, at: $1, 5...16) }
    expectations.reason = line("reason")
    expectations.errors = each("error") { $2.named($0, at: $1, of: Self.errors) }
    expectations.exchangeCount = counts("exchanges")
    expectations.elements = elements("tags")
    expectations.statuses = statuses("status")
    (expectations.budgets, expectations.wholeTap) = budgets("milliseconds")
    return expectations
  }

  // The words of the display, or the name of the message.
  static let messages = CardholderMessage.allCases.flatMap { [($0.text, $0), ("\($0)", $0)] }
  static let cryptograms: [(String, TapExpectations.Cryptogram)] =
    [.type(.arqc), .type(.tc), .type(.aac), .checksum, .none].map { ($0.description, $0) }
  static let secondCryptograms: [(String, TapExpectations.Cryptogram)] =
    [.type(.tc), .type(.aac), .none].map { ($0.description, $0) }
  static let errors = [
    LinkError.Code.cardRemoved, .severalCards, .readerUnavailable, .serviceUnavailable, .busy, .timedOut,
    .protocolViolation,
    .transmissionFailed,
  ].map { ($0.rawValue, $0) }

  /// The parameters of the outcome, each with a value or a list of alternatives.
  private mutating func parameters(_ key: String) -> [OutcomeParameter: [String]] {
    var found: [OutcomeParameter: [String]] = [:]
    for (key, value, place) in pairs(key, of: "parameters") {
      guard let parameter = OutcomeParameter.allCases.first(where: { plain($0.rawValue) == plain(key) }) else {
        note(place, "no such parameter; there are \(OutcomeParameter.allCases.map(\.rawValue).joined(separator: ", "))")
        continue
      }
      found[parameter] = each(value, at: place) { $2.line($0, at: $1, 1...100) }
    }
    return found
  }

  /// One number, or `least` and `most`.
  mutating func counts(_ key: String) -> ClosedRange<Int>? {
    guard value(key)?.members != nil else { return optionalInteger(key, in: 0...1024).map { $0...$0 } }
    return optionalObject(key) { reader in
      let least = reader.optionalInteger("least", in: 0...1024)
      let most = reader.optionalInteger("most", in: 0...1024)
      reader.refuseEmpty("nothing is asked here: leave the key out, or give")
      guard least ?? 0 <= most ?? 1024 else {
        reader.note("", "\"least\" is \(least ?? 0) and \"most\" is \(most ?? 1024)")
        return nil
      }
      return (least ?? 0)...(most ?? 1024)
    } ?? nil
  }

  private mutating func statuses(_ key: String) -> [StatusExpectation] {
    pairs(key, of: "commands").compactMap { key, value, place in
      guard let commands = commands(key, at: place) else { return nil }
      let patterns = each(value, at: place) { $2.status($0, at: $1) }
      return patterns.isEmpty ? nil : StatusExpectation(commands: commands, patterns: patterns)
    }
  }

  private mutating func status(_ value: JSONValue, at place: String) -> String? {
    if let digits = scalar(value)?.uppercased() {
      let (head, tail) = (digits.prefix(2), digits.dropFirst(2))
      if digits.utf8.count == 4, head.allSatisfy(\.isHexDigit), tail == "XX" || tail.allSatisfy(\.isHexDigit) {
        return String(head) + (tail == "XX" ? "xx" : String(tail))
      }
    }
    refuse(place, "\(found(value)) is no status word: four hexadecimal digits, or two and xx")
    return nil
  }

  /// The commands that a name means.
  mutating func commands(_ name: String, at place: String) -> CommandSelector? {
    if let commands = CommandSelector(name) { return commands }
    var names: [String] = []
    // Kernels share some of their phases.
    for phase in CommandSelector.phases(of: TerminalConfiguration.kernels) where !names.contains(phase.rawValue) {
      names.append(phase.rawValue)
    }
    note(
      place,
      "no such command; there are \(names.joined(separator: ", ")), GET RESPONSE, each also with a number behind it, exchange NUMBER and every command"
    )
    return nil
  }

  /// The longest times of commands, and of the whole tap.
  mutating func budgets(_ key: String) -> ([TimeBudget], wholeTap: Int64?) {
    var (budgets, wholeTap): ([TimeBudget], Int64?) = ([], nil)
    for (key, value, place) in pairs(key, of: "commands") {
      if plain(key) == "wholetap" {
        if wholeTap != nil { note(place, "the time of the whole tap is there already") }
        wholeTap = nanoseconds(value, at: place)
      } else if let commands = commands(key, at: place), let nanoseconds = nanoseconds(value, at: place) {
        budgets.append(TimeBudget(commands: commands, nanoseconds: nanoseconds))
      }
    }
    return (budgets, wholeTap)
  }

  /// Milliseconds, with up to three decimals.
  mutating func nanoseconds(_ value: JSONValue, at place: String) -> Int64? {
    if let text = scalar(value), text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let value = Double(text), value > 0, value <= 600_000
    {
      return Int64((value * 1e6).rounded())
    }
    refuse(place, "milliseconds are needed, above 0 and up to 600000, not \(found(value))")
    return nil
  }
}
