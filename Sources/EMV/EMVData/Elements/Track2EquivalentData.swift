internal import Octets

/// Tag 57: account number, expiry and service code as on track 2 (EMV 4.4 Book 3, annex A; ISO/IEC 7813).
public struct Track2EquivalentData: Hashable, Sendable, ContentConcealing {
  /// The account number.
  public let accountNumber: PrimaryAccountNumber
  /// The expiry, four digits YYMM.
  public let expiry: String
  /// The service code, three digits.
  public let serviceCode: String

  /// Reads the bytes: PAN, D, YYMM, service code, discretionary data, padded with F; nil when malformed.
  public init?(_ octets: [UInt8]) {
    let text = octets.hex
    guard let separator = text.firstIndex(of: "D"),
      let number = PrimaryAccountNumber(digits: text[..<separator])
    else { return nil }
    let rest = text[text.index(after: separator)...]
    guard rest.count >= 7, rest.prefix(7).allSatisfy(\.isNumber) else { return nil }
    accountNumber = number
    expiry = String(rest.prefix(4))
    serviceCode = String(rest.dropFirst(4).prefix(3))
  }

  /// The masked account number, without expiry and service code.
  public var description: String { "track 2 of \(accountNumber)" }
}
