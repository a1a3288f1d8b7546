internal import EMVCard
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// What must be configured on a terminal so that scenarios apply to it.
public struct TerminalSetup: Sendable {
  private let files: [ScenarioFile]
  private let capabilities: TestedCapabilities?

  /// Collects what scenarios need; those that judge a card need nothing.
  ///
  /// - Parameter capabilities: Those of the terminal: what they have is marked. Nil when they are not known.
  public init(_ files: [ScenarioFile], _ capabilities: TestedCapabilities?) {
    self.files = files.filter { $0.scenario.terminalTest != nil }
    self.capabilities = capabilities
  }

  /// Lines for a person: applications, currencies, limits, keys, and the cards that the host must approve.
  public var lines: [String] {
    ["Applications and kernels"] + applications + qualifiers + ["Currencies"] + currencies + ["Limits"] + limits
      + methods + ["Public keys of certification authorities"] + keys + ["Host"] + host
  }

  private var applications: [String] {
    let own = files.first.map { TestedCapabilities(profile: $0.standardProfile) }
    let names = files.flatMap { $0.testCard?.ownNames ?? [] }
    return Self.counts(names.map(\.hex)).map { name, count in
      let aid = (try? [UInt8](hex: name)) ?? []
      let kernel = own?.application(for: aid).map { ", kernel \($0.kernel)" } ?? ""
      return "  \(name)\(kernel): \(count.counted("scenario"))" + mark(capabilities?.application(for: aid) != nil)
    }
  }

  /// Tag 9F66: of the applications whose configured value a scenario compares, and the bits that scenarios expect.
  private var qualifiers: [String] {
    let compared = files.filter { $0.scenario.terminalTest?.expectations.isConfigured == true }
    let names = compared.compactMap { $0.testCard?.ownNames.first?.hex }
    let values = Self.counts(names).map { name, count in
      let known = capabilities?.application(for: (try? [UInt8](hex: name)) ?? [])?.qualifiers
      return "  of \(name), named in the capabilities: \(count.counted("scenario"))"
        + mark(known != nil) + (known.map { ": \($0.hex)" } ?? "")
    }
    let bits = Self.counts(files.flatMap(\.expectedQualifiers)).map { "  \($0): \($1.counted("scenario"))" }
    return values.isEmpty && bits.isEmpty ? [] : ["Terminal transaction qualifiers (tag 9F66)"] + values + bits
  }

  private var methods: [String] {
    let known = capabilities?.verifications ?? []
    let lines = Self.counts(files.flatMap { $0.scenario.terminalTest?.needs.map(\.rawValue) ?? [] }).map {
      name, count in
      let isNamed = known.contains { $0.rawValue == name }
      return "  \(name): \(count.counted("scenario"))"
        + (capabilities != nil && known.isEmpty ? ", not named" : mark(isNamed))
    }
    let own = capabilities?.methods.map { ["  the terminal has \($0)"] } ?? []
    return lines.isEmpty && own.isEmpty ? [] : ["Verification methods"] + lines + own
  }

  private var currencies: [String] {
    Self.counts(files.map(\.scenario.currency)).map { code, count in
      "  \(code): \(count.counted("scenario"))" + mark(capabilities?.currencies.contains(code) == true)
    }
  }

  private var limits: [String] {
    let used = files.flatMap { file in
      (file.scenario.terminalTest?.amounts ?? []).compactMap { amount -> String? in
        guard case .relative(_, let limit) = amount else { return nil }
        return "\(limit.words) in \(file.scenario.currency)"
      }
    }
    let counted = Self.counts(used).map { "  \($0), named in the capabilities: \($1.counted("scenario"))" }
    let fixed = files.compactMap { file in file.scenario.terminalTest?.amounts.compactMap(\.fixedText) }.flatMap(\.self)
    let highest = fixed.max { (Double($0) ?? 0) < (Double($1) ?? 0) }
    return counted + (highest.map { ["  a contactless limit above \($0), the highest fixed amount"] } ?? [])
  }

  private var keys: [String] {
    let providers = Set(files.flatMap { $0.testCard?.image.applications.map(\.aid.rid) ?? [] })
    let profile = files.first.flatMap { try? JSONValue(parsing: $0.standardProfile) }
    let needed = profile?["certificationAuthorities"]?.list?.filter { key in
      key["provider"]?.text.flatMap { try? [UInt8](hex: $0) }.map(providers.contains) == true
    }
    guard let needed, !needed.isEmpty else { return ["  none: no card of these scenarios has certificates"] }
    return needed.flatMap { key -> [String] in
      let words = ["provider", "index", "modulus", "exponent", "checksum"].map { ($0, key[$0]?.text ?? "") }
      let has = capabilities?.authorityKeys?.contains {
        $0.provider.hex == words[0].1 && [$0.index].hex == words[1].1
      }
      return ["  provider \(words[0].1), index \(words[1].1)" + mark(has == true)]
        + words.dropFirst(2).map { "    \($0.0) \($0.1)" }
    }
  }

  private var host: [String] {
    let numbers = files.flatMap { file in
      file.scenario.terminalTest?.expectations.shown.contains(.approved) == true
        ? file.testCard?.image.applications.map { "\($0.accountNumber)" } ?? [] : []
    }
    return Self.counts(numbers).map { "  approves the test card \($0.0): \($0.1.counted("scenario"))" }
  }

  private func mark(_ isPresent: Bool) -> String { capabilities == nil ? "" : isPresent ? ", present" : ", MISSING" }

  private static func counts(_ names: [String]) -> [(String, Int)] {
    Dictionary(grouping: names, by: \.self).mapValues(\.count).sorted { $0.key < $1.key }
  }
}

extension ScenarioFile {
  /// The bits of tag 9F66 that the scenario expects, but for those that a payment sets (EMV Contactless Book B v2.11,
  /// 3.1.1).
  fileprivate var expectedQualifiers: [String] {
    (scenario.terminalTest?.expectations.elements ?? []).compactMap { element in
      guard element.tag == .terminalTransactionQualifiers,
        case .bit(let octet, let bit, _, let isSet) = element.condition,
        octet != 2 || bit < 7
      else { return nil }
      return "byte \(octet) bit \(bit) \(isSet ? "set" : "not set")"
    }
  }
}

extension TestAmount {
  /// The text of a fixed amount; nil for one beside a limit.
  fileprivate var fixedText: String? { if case .fixed(let text) = self { text } else { nil } }
}
