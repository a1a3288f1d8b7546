public import ISO7816
internal import Octets

extension DataElement {
  /// A value in words: dates, amounts, text, bits; hexadecimal where nothing better is known. Never fails.
  ///
  /// Cardholder data are masked unless `unmasked` is set.
  public static func text(of tag: Tag, _ value: [UInt8], unmasked: Bool = false) -> String {
    let element = named(tag)
    if element?.isCardholderData == true, !unmasked { return masked(tag, value) }
    switch element?.format {
    case .alphanumeric?, .special?: return quoted(value)
    case .numeric? where tag == .applicationExpirationDate || tag == .transactionDate || tag == 0x5F25:
      return TransactionDate(numeric: value).map(\.description) ?? value.hex
    default: return value.hex
    }
  }

  /// The parts of a value that has parts: names of bits that are set, entries of a list. Empty for others.
  public static func details(of tag: Tag, _ value: [UInt8]) -> [String] {
    switch tag {
    case .applicationInterchangeProfile:
      return bits(value, 2) { ApplicationInterchangeProfile(rawValue: UInt16($0)).words }
    case .cardTransactionQualifiers: return bits(value, 2) { CardTransactionQualifiers(rawValue: UInt16($0)).words }
    case .terminalTransactionQualifiers:
      return bits(value, 4) { TerminalTransactionQualifiers(rawValue: UInt32($0)).words }
    case .terminalVerificationResults: return bits(value, 5) { TerminalVerificationResults(rawValue: $0).words }
    case .cryptogramInformationData:
      return value.first.flatMap(CryptogramType.init(cryptogramInformationData:)).map { [$0.rawValue] } ?? []
    case .transactionType: return value.first.map { [TransactionType(rawValue: $0).description] } ?? []
    case .pdol, .cdol1, .cdol2, 0x97, 0x9F49, 0x9F4F: return list(value)
    case .applicationFileLocator: return locator(value)
    case .issuerApplicationData: return issuerData(value)
    default: return []
    }
  }

  private static func masked(_ tag: Tag, _ value: [UInt8]) -> String {
    switch tag {
    case .primaryAccountNumber: PrimaryAccountNumber(compressedNumeric: value)?.masked ?? "(\(value.count) octets)"
    case .track2EquivalentData: Track2EquivalentData(value)?.accountNumber.masked ?? "(\(value.count) octets)"
    default: "(\(value.count) octets)"
    }
  }

  private static func quoted(_ value: [UInt8]) -> String {
    guard value.allSatisfy({ (0x20...0x7E).contains($0) }) else { return value.hex }
    return "\"" + String(decoding: value, as: UTF8.self) + "\""
  }

  private static func bits(_ value: [UInt8], _ count: Int, _ words: (UInt64) -> [String]) -> [String] {
    value.count == count ? words(value.reduce(0) { $0 << 8 | UInt64($1) }) : []
  }

  private static func list(_ value: [UInt8]) -> [String] {
    guard let list = try? DataObjectList(parsing: value) else { return [] }
    return list.entries.map { "\($0.tag) \(named($0.tag)?.name ?? "unknown"), \($0.count) octets" }
  }

  private static func locator(_ value: [UInt8]) -> [String] {
    guard let locator = try? ApplicationFileLocator(parsing: value) else { return [] }
    return locator.entries.map {
      "SFI \($0.sfi), records \($0.records.lowerBound) to \($0.records.upperBound), "
        + "\($0.authenticatedCount) for data authentication"
    }
  }

  private static func issuerData(_ value: [UInt8]) -> [String] {
    guard let data = VisaIssuerApplicationData(value) else { return [] }
    return [
      "Visa layout: key index \(data.derivationKeyIndex.hex), CVN \(data.cryptogramVersionNumber) "
        + "('\(data.cryptogramVersionNumber.hex)'), CVR \(data.cardVerificationResults.hex)"
    ]
  }
}
