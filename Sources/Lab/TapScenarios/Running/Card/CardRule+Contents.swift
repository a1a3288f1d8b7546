internal import EMVData
internal import ISO7816
internal import Octets
internal import PaymentAcceptance

/// Rules for data that must fit each other.
extension CardRule {
  private typealias Values = [Tag: [UInt8]]

  private func values(_ exchanges: [Exchange]) -> Values {
    Dictionary(exchanges.flatMap { $0.nodes.primitives }.map { ($0.tag, $0.value) }) { _, last in last }
  }

  /// The profile as both formats of the options have it.
  private func interchangeProfile(_ exchanges: [Exchange], _ values: Values) -> UInt8 {
    let options = exchanges.last { $0.instruction == Instruction.getProcessingOptions }
    let short = options?.nodes.first(.responseFormat1)?.value.first
    return values[.applicationInterchangeProfile]?.first ?? short ?? 0
  }

  // MARK: Promises

  func promiseFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let values = values(exchanges)
    let profile = interchangeProfile(exchanges, values)
    // Bits 7, 6 and 1: static, dynamic and combined authentication.
    let isDynamic = profile & 0x21 != 0
    var wanted: [Tag] = isDynamic ? [0x8F, 0x90, 0x9F32, 0x9F46, 0x9F47] : []
    if profile & 0x40 != 0, !isDynamic { wanted = [0x8F, 0x90, 0x9F32, 0x93] }
    let missing = wanted.filter { values[$0]?.isEmpty ?? true }
    return missing.map { failure(nil, "tag \($0), which the AIP promises", "absent", $0) } + remainderFailures(values)
      + exponentFailures(values) + relatedDataFailures(values)
  }

  /// The part of a key that has no room in its certificate. The certificate of the card is as long as the key of the issuer,
  /// and the signature as long as the key of the card (EMV 4.4 Book 2, 5.1 and 6.1).
  private func remainderFailures(_ values: Values) -> [ScenarioFailure] {
    func check(_ remainder: Tag, key: Int?, certificate: Int?, overhead: Int) -> ScenarioFailure? {
      guard let key, let certificate, key > 0, certificate > overhead else { return nil }
      let wanted = max(key - (certificate - overhead), 0)
      let found = values[remainder]?.count ?? 0
      guard found != wanted else { return nil }
      return failure(nil, "tag \(remainder) of \(wanted.bytes)", found == 0 ? "absent" : found.bytes, remainder)
    }
    let (issuer, card) = (values[0x90]?.count, values[0x9F46]?.count)
    return [
      check(0x92, key: card, certificate: issuer, overhead: 36),
      check(0x9F48, key: values[0x9F4B]?.count, certificate: card, overhead: 42),
    ].compactMap { $0 }
  }

  /// Exponents are 3 or 65537, and the list of signed tags names tag 82 alone (EMV 4.4 Book 2, annex B2; Book 3, 10.3).
  private func exponentFailures(_ values: Values) -> [ScenarioFailure] {
    let exponents = ([0x9F32, 0x9F47] as [Tag]).filter { tag in
      values[tag].map { ![[0x03], [0x01, 0x00, 0x01]].contains($0) } ?? false
    }
    return exponents.map { failure(nil, "3 or 65537 in tag \($0)", values[$0]?.hex ?? "", $0) }
      + (values[0x9F4A].map { ![[], [0x82]].contains($0) } ?? false
        ? [failure(nil, "tag 82 alone in tag 9F4A", values[0x9F4A]?.hex ?? "", 0x9F4A)] : [])
  }

  /// Bytes 6 and 7 of tag 9F69 version 01 are those of tag 9F6C (EMV Contactless Book C-3 v2.11, annex C).
  private func relatedDataFailures(_ values: Values) -> [ScenarioFailure] {
    guard let related = values[.cardAuthenticationRelatedData], related.count >= 7, related.first == 0x01,
      let qualifiers = values[.cardTransactionQualifiers], Array(related[5..<7]) != qualifiers
    else { return [] }
    return [failure(nil, "tag 9F6C in bytes 6 and 7 of tag 9F69", related[5..<7].hex, 0x9F69)]
  }

  // MARK: Cardholder verification

  /// AIP byte 1 bit 5 promises a list; its amounts are followed by rules of two bytes (EMV 4.4 Book 3, 10.5 and annex C3).
  func methodFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let values = values(exchanges)
    // Without CDOL1 a kernel verifies without the list.
    guard values[.cdol1] != nil, interchangeProfile(exchanges, values) & 0x10 != 0 else { return [] }
    guard let list = values[0x8E] else { return [failure(nil, "tag 8E, which the AIP promises", "absent", 0x8E)] }
    guard list.count >= 10, list.count.isMultiple(of: 2) else {
      return [failure(nil, "tag 8E of two amounts and rules of two bytes", list.count.bytes, 0x8E)]
    }
    return stride(from: 8, to: list.count, by: 2).compactMap { index in
      guard !Self.knownMethods.contains(list[index] & 0x3F) || !Self.knownConditions.contains(list[index + 1]) else {
        return nil
      }
      return failure(nil, "a known method and condition in tag 8E", list[index...index + 1].hex, 0x8E)
    }
  }

  // Books, payment systems and issuers; the last one is "no verification required" with 1F (annex C3, tables 43 and 44).
  private static let knownMethods: Set<UInt8> = Set(
    [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F] + Array(0x20...0x3F))
  private static let knownConditions: Set<UInt8> = Set(Array(0x00...0x09) + Array(0x80...0xFF))

  // MARK: Dates and the directory

  /// The terminal's date is the one that it sent to the card. It is a fixed one by default, so that runs can be compared: a card
  /// that becomes valid after it is right.
  func validityFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let today = RecordedAuthentication(exchanges.map { ($0.command, $0.response) }).date
    let last = values(exchanges)[.applicationExpirationDate].flatMap(TransactionDate.init(numeric:))
    guard let today, let last, last < today else { return [] }
    return [failure(nil, "tag 5F24 from \(today) on", "an earlier date", .applicationExpirationDate)]
  }

  func usageFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    guard let control = values(exchanges)[.applicationUsageControl], control.first.map({ $0 & 0xFC == 0 }) == true
    else {
      return []
    }
    return [failure(nil, "a service in tag 9F07", control.hex, .applicationUsageControl)]
  }

  func agreementFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let directory = exchanges.first { $0.name == "SELECT PPSE" }?.nodes ?? []
    let application = exchanges.last { $0.instruction == Instruction.select && $0.name != "SELECT PPSE" }?.nodes ?? []
    let name = application.first(.dfName)?.value ?? []
    let entry = directory.all(.applicationTemplate).first { entry in
      name.starts(with: entry.children.first { $0.tag == .adfName }?.value ?? name + [0])
    }
    return ([.applicationLabel, .applicationPriorityIndicator] as [Tag]).compactMap { tag in
      guard let said = entry?.children.first(where: { $0.tag == tag })?.value, let own = application.first(tag)?.value,
        said != own
      else { return nil }
      return failure(nil, "tag \(tag) as in the directory", "another value", tag)
    }
  }

  // MARK: The cryptogram

  /// The host can repeat a cryptogram only over amount, currency and the terminal's number (EMV 4.4 Book 2, 8.1.1).
  func inputFailures(_ exchanges: [Exchange]) -> [ScenarioFailure] {
    let values = values(exchanges)
    guard values[0x9F69] == nil || values[.cdol1] != nil || exchanges.kernel != .mastercard else { return [] }
    let tag: Tag = values[.cdol1] == nil ? .pdol : .cdol1
    guard let octets = values[tag], let list = try? DataObjectList(parsing: octets) else {
      return [failure(nil, "a list of data objects in tag \(tag)", values[tag] == nil ? "absent" : "other bytes", tag)]
    }
    let counts: [(tag: Tag, count: Int)] =
      [(.unpredictableNumber, 4), (.amountAuthorised, 6), (.transactionCurrencyCode, 2)]
      + (tag == .cdol1 ? [(.terminalVerificationResults, 5)] : [(.terminalTransactionQualifiers, 4)])
    let template = list.entries.first(where: \.tag.isConstructed).map {
      failure(nil, "no template in tag \(tag)", "tag \($0.tag)", $0.tag)
    }
    return [template].compactMap { $0 }
      + counts.compactMap { wanted in
        let found = list.entries.first { $0.tag == wanted.tag }?.count
        guard found != wanted.count else { return nil }
        return failure(
          nil, "tag \(wanted.tag) with \(wanted.count.bytes) in tag \(tag)", found?.bytes ?? "absent", wanted.tag)
      }
  }
}
