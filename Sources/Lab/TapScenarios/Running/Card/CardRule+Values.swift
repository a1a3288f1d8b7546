internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

/// Rules for the form of each value.
extension CardRule {
  // Stricter than the dictionary, which has the values that terminals take. An account number has 8 to 19 digits, and a
  // track at least a separator, a month and a service code behind it (ISO/IEC 7812-1 and 7813).
  private static let leastCounts: [Tag: Int] = [
    .primaryAccountNumber: 4, .track2EquivalentData: 8, .issuerApplicationData: 1,
  ]

  func lengthFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let kernel = exchanges.kernel
    return exchanges.flatMap { exchange in
      exchange.nodes.primitives.compactMap { node in
        guard let element = DataElement.named(node.tag, kernel: kernel), element.source == .card else { return nil }
        let least = max(Self.leastCounts[node.tag] ?? 0, element.lengths.lowerBound)
        guard !(least...element.lengths.upperBound).contains(node.value.count) else { return nil }
        let most = element.lengths.upperBound
        let wanted = least == most ? least.bytes : "\(least) to \(most) bytes"
        return failure(exchange, "tag \(node.tag) of \(wanted)", node.value.count.bytes, node.tag)
      }
    }
  }

  /// Digits, and dates of the calendar.
  func formatFailures(_ exchange: Exchange) -> [ScenarioFailure] {
    exchange.nodes.primitives.compactMap { node in
      guard let element = DataElement.named(node.tag), element.source == .card, !node.value.isEmpty else { return nil }
      let digits = node.value.hex
      let expected: String? =
        switch element.format {
        case .numeric where !digits.allSatisfy(\.isWholeNumber): "decimal digits"
        case .compressedNumeric where !digits.isCompressedNumeric: "decimal digits, filled with F"
        case .numeric where Self.dates.contains(node.tag) && TransactionDate(numeric: node.value) == nil:
          "a date YYMMDD"
        default: nil
        }
      return expected.map { failure(exchange, "tag \(node.tag) with \($0)", "others", node.tag) }
    }
  }

  private static let dates: Set<Tag> = [.applicationExpirationDate, .applicationEffectiveDate]

  /// Characters of texts, and languages of two letters.
  func textFailures(_ exchange: Exchange) -> [ScenarioFailure] {
    exchange.nodes.primitives.compactMap { node in
      guard let element = DataElement.named(node.tag), element.source == .card else { return nil }
      let isRight =
        switch element.format {
        // The code table of tag 9F11 may have others above 7F.
        case .special:
          node.value.allSatisfy { $0 >= 0x20 && $0 != 0x7F && (node.tag != .applicationLabel || $0 < 0x7F) }
        case .alphanumeric, .alphabetic: node.value.allSatisfy(\.isLetterOrDigit)
        default: true
        }
      let isLanguage = node.tag != .languagePreference || node.value.isLanguages
      // ISO/IEC 8859-1 to -10 (EMV 4.4 Book 4, annex B).
      if node.tag == 0x9F11, !(0x01...0x10).contains(node.value.first ?? 0) {
        return failure(exchange, "tag 9F11 of 01 to 10", node.value.hex, node.tag)
      }
      guard !(isRight && isLanguage) else { return nil }
      let wanted = isLanguage ? "characters of its format" : "languages of two letters"
      return failure(exchange, "tag \(node.tag) with \(wanted)", "others", node.tag)
    }
  }

  /// A tag twice in one template.
  func singleFailures(_ exchange: Exchange) -> [ScenarioFailure] {
    exchange.nodes.flatMap { repeated(in: $0.children, exchange) }
  }

  private func repeated(in nodes: [TLVNode], _ exchange: Exchange) -> [ScenarioFailure] {
    var seen: Set<Tag> = []
    return nodes.flatMap { node -> [ScenarioFailure] in
      guard !node.tag.isConstructed else { return repeated(in: node.children, exchange) }
      return seen.insert(node.tag).inserted
        ? [] : [failure(exchange, "each data object once", "tag \(node.tag) again", node.tag)]
    }
  }

  /// A length in more bytes than it needs.
  func shortestFailure(_ exchange: Exchange) -> ScenarioFailure? {
    let data = Array((exchange.response ?? []).dropLast(2))
    guard !exchange.nodes.isEmpty, exchange.nodes.flatMap(\.encoded) != data else { return nil }
    return failure(exchange, "each length in its shortest form", "a longer one")
  }
}

extension [Exchange] {
  /// The kernel of the application that was selected last; nil for a scheme that is not known.
  var kernel: ContactlessKernel? {
    let name = last { $0.instruction == Instruction.select && $0.name != "SELECT PPSE" }?.nodes.first(.dfName)?.value
    return name.flatMap { PaymentScheme.of($0)?.kernel }
  }
}

extension String {
  /// Whether decimal digits are followed by nothing but F.
  fileprivate var isCompressedNumeric: Bool { drop(while: \.isWholeNumber).allSatisfy { $0 == "F" } }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}

extension [UInt8] {
  /// Whether the bytes are one to four codes of ISO 639 in letters of one case (EMV 4.4 Book 3, annex A).
  fileprivate var isLanguages: Bool {
    (2...8).contains(count) && count.isMultiple(of: 2)
      && (allSatisfy { (0x61...0x7A).contains($0) } || allSatisfy { (0x41...0x5A).contains($0) })
  }
}
