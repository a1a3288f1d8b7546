internal import EMVCard
internal import EMVData
internal import EMVTerminal
internal import ISO7816
internal import Octets

/// Why a scenario cannot be made at a terminal.
public struct ScenarioNotApplicable: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason as a sentence.
  public let description: String
}

extension ScenarioFile {
  /// Checks that a terminal has what the scenario needs: an application for its card, the currency, a display, the limits
  /// of its amounts, the methods of verification and, where it may approve offline, the keys of certification authorities.
  ///
  /// - Throws: `ScenarioNotApplicable`, and `ScenarioFileError` for a terminal of the scenario that cannot be compiled.
  public func check(against capabilities: TestedCapabilities) throws {
    guard let test = scenario.terminalTest, let card = testCard else { return }
    let applications = card.ownNames
    if !applications.isEmpty, !applications.contains(where: { capabilities.application(for: $0) != nil }) {
      let names = applications.map(\.hex).joined(separator: ", ")
      throw ScenarioNotApplicable(description: "the terminal has no application for \(names)")
    }
    let currency = try currency()
    guard capabilities.currencies.contains(currency.alphabeticCode) else {
      throw ScenarioNotApplicable(description: "the terminal does not take \(currency.alphabeticCode)")
    }
    guard capabilities.hasDisplay || test.expectations.shown.isEmpty else {
      throw ScenarioNotApplicable(description: "the terminal has no display")
    }
    let known = capabilities.verifications
    if let method = test.needs.first(where: { !known.isEmpty && !known.contains($0) }) {
      throw ScenarioNotApplicable(description: "the terminal has no verification method \(method.rawValue)")
    }
    _ = try amounts(at: capabilities)
    try checkAuthorities(test, card, capabilities)
    _ = try configuredValues(at: capabilities)
  }

  // Without the key, a terminal that is wrong in the check of a certificate or signature declines the card all the same.
  private func checkAuthorities(
    _ test: TerminalTest, _ card: TestCard, _ capabilities: TestedCapabilities
  ) throws(ScenarioNotApplicable) {
    guard test.amounts.contains(.relative(.below, .floorLimit)) else { return }
    for key in card.authorityKeys where capabilities.authorityKeys?.contains(key) != true {
      let words = "the authority key \([key.index].hex) of \(key.provider.hex)"
      throw ScenarioNotApplicable(
        description: capabilities.authorityKeys == nil
          ? "whether the terminal has \(words) is not known: authorityKeys of --capabilities FILE names it"
          : "the terminal does not have \(words)")
    }
  }

  /// The values of tag 9F66 that a scenario may find which compares them with the capabilities: byte 2 bits 8 and 7 are set
  /// by the payment (EMV Contactless Book B v2.11, 3.1.1).
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known.
  /// - Returns: Nothing for any other scenario.
  /// - Throws: `ScenarioNotApplicable` when the capabilities do not have the tag.
  func configuredValues(at capabilities: TestedCapabilities?) throws -> [Tag: [[UInt8]]] {
    guard scenario.terminalTest?.expectations.isConfigured == true else { return [:] }
    let names = testCard?.ownNames ?? []
    guard let qualifiers = names.lazy.compactMap({ capabilities?.application(for: $0)?.qualifiers }).first else {
      throw ScenarioNotApplicable(description: "the terminal's tag 9F66 is not known: --capabilities FILE names it")
    }
    let values = [0x00, 0x40, 0x80, 0xC0].map { (bits: UInt8) in
      qualifiers.enumerated().map { $0.offset == 1 ? $0.element & 0x3F | bits : $0.element }
    }
    return [.terminalTransactionQualifiers: values]
  }

  /// Why the scenario cannot be made at a terminal; nil when it can, and for a scenario that judges a card.
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known: a scenario that takes a value of them
  ///   cannot be made then.
  public func reasonNotApplicable(at capabilities: TestedCapabilities?) -> String? {
    do {
      if let capabilities {
        try check(against: capabilities)
      } else {
        _ = try amounts(at: nil)
        _ = try configuredValues(at: nil)
      }
      return nil
    } catch { return "\(error)" }
  }

  /// The amount of a tap, whose number counts from 1, in the main unit of the currency; nil for a scenario that judges a
  /// card, and for an amount beside a limit that is not known.
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known.
  public func amount(ofTap number: Int, at capabilities: TestedCapabilities?) -> String? {
    guard let amounts = try? amounts(at: capabilities), !amounts.isEmpty else { return nil }
    return amounts[max(0, number - 1) % amounts.count]
  }

  /// The amounts of the taps, in order.
  ///
  /// - Parameter capabilities: Those of the terminal; nil when they are not known.
  /// - Throws: `ScenarioNotApplicable` for an amount beside a limit that is not known.
  func amounts(at capabilities: TestedCapabilities?) throws -> [String] {
    let currency = try currency()
    return try scenario.terminalTest?.amounts.map { amount throws in
      switch amount {
      case .fixed(let text): return text
      case .relative(let relation, let limit):
        guard let capabilities else {
          throw ScenarioNotApplicable(
            description: "the amount is relative to the \(limit.words): --capabilities FILE names it")
        }
        return try self.amount(relation, limit, currency, capabilities)
      }
    } ?? []
  }

  private func amount(
    _ relation: TestAmount.Relation, _ limit: TestAmount.Limit, _ currency: Currency,
    _ capabilities: TestedCapabilities
  ) throws -> String {
    let names = testCard?.image.applications.map { $0.aid.octets } ?? []
    let application = names.lazy.compactMap { capabilities.application(for: $0) }.first
    let code = currency.alphabeticCode
    guard let text = application?.limits[code]?[limit],
      let bound = try? Amount(text, exponent: currency.exponent)
    else {
      throw ScenarioNotApplicable(description: "the terminal has no \(limit.words) in \(code) for the card")
    }
    let most = application?.limits[code]?[.contactlessLimit].flatMap { try? Amount($0, exponent: currency.exponent) }
    let units: UInt64? =
      switch relation {
      case .at: bound.minorUnits
      case .above: bound.minorUnits + 1
      case .below: bound.minorUnits > 1 ? bound.minorUnits - 1 : nil
      }
    guard let units, let amount = Amount(minorUnits: units, exponent: currency.exponent) else {
      throw ScenarioNotApplicable(
        description: "no amount lies \(relation.rawValue) the \(limit.words) of \(text) \(code)")
    }
    if limit != .contactlessLimit, let most, units >= most.minorUnits {
      throw ScenarioNotApplicable(
        description: "an amount \(relation.rawValue) the \(limit.words) reaches the contactless limit in \(code)")
    }
    return amount.description
  }

  private func currency() throws -> Currency {
    guard let currency = terminal.configuration.currency(scenario.currency) else {
      throw ScenarioFileError("\(path): $.currency: no such currency")
    }
    return currency
  }
}
