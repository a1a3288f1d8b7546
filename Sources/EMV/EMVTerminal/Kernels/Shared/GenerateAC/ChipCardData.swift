internal import EMVData
internal import ISO7816

// The data objects of a card with which kernels that ask for a cryptogram decide, checked for presence and length.
struct ChipCardData {
  let profile: ApplicationInterchangeProfile
  let accountNumber: PrimaryAccountNumber
  let cdol1: DataObjectList
  let expiry: TransactionDate
  let effective: TransactionDate?
  let cvmList: CardholderVerificationMethodList?
  let currency: [UInt8]?
  let issuerCountry: [UInt8]?
  let usageControl: [UInt8]?
  let version: [UInt8]?
  let actionCodes: TerminalActionAnalysis.IssuerActionCodes

  // Mandatory are tags 5A, 5F24 and 8C: no public document of such a kernel; the same three as in EMV 4.4 Book 3, 7.2. A
  // data object of a wrong length ends the payment (EMV 4.4 Book 3, 7.5).
  init(_ card: CardData) throws(StepFailure) {
    profile = try card.interchangeProfile()
    accountNumber = try Self.accountNumber(card)
    expiry = try Self.date(card.required(.applicationExpirationDate, 3...3, .decision), "5F24")
    cdol1 = try DataObjectList(try card.required(.cdol1, 1...252, .decision), of: .cdol1, .decision)
    let start = try card.optional(.applicationEffectiveDate, 3...3, .decision)
    effective = if let start { try Self.date(start, "5F25") } else { nil }
    cvmList = try Self.cvmList(card)
    currency = try card.optional(.applicationCurrencyCode, 2...2, .decision)
    issuerCountry = try card.optional(.issuerCountryCode, 2...2, .decision)
    usageControl = try card.optional(.applicationUsageControl, 2...2, .decision)
    version = try card.optional(.cardApplicationVersion, 2...2, .decision)
    func codes(_ tag: Tag) throws(StepFailure) -> TerminalVerificationResults? {
      try card.optional(tag, 5...5, .decision).flatMap { TerminalVerificationResults(octets: $0) }
    }
    actionCodes = .init(
      denial: try codes(.issuerActionDenial), online: try codes(.issuerActionOnline),
      fallback: try codes(.issuerActionDefault))
  }

  // Tag 57 may be missing, but it must hold the same account number as tag 5A.
  private static func accountNumber(_ card: CardData) throws(StepFailure) -> PrimaryAccountNumber {
    let octets = try card.required(.primaryAccountNumber, 1...10, .decision)
    guard let number = PrimaryAccountNumber(compressedNumeric: octets) else {
      throw StepFailure(.decision, .malformed("tag 5A is not an account number"))
    }
    if let track = try card.optional(.track2EquivalentData, 1...19, .decision) {
      guard let data = Track2EquivalentData(track) else {
        throw StepFailure(.decision, .malformed("tag 57 is not track 2 data"))
      }
      guard data.accountNumber == number else { throw StepFailure(.decision, .accountNumbersDiffer) }
    }
    return number
  }

  // Two amounts of four bytes, then rules of two bytes (EMV 4.4 Book 3, 10.5).
  private static func cvmList(_ card: CardData) throws(StepFailure) -> CardholderVerificationMethodList? {
    guard let octets = try card.optional(.cvmList, 8...252, .decision) else { return nil }
    guard let list = CardholderVerificationMethodList(octets) else {
      throw StepFailure(.decision, .malformed("tag 8E is not a list of cardholder verification methods"))
    }
    return list
  }

  private static func date(_ octets: [UInt8], _ tag: String) throws(StepFailure) -> TransactionDate {
    guard let date = TransactionDate(numeric: octets) else {
      throw StepFailure(.decision, .malformed("tag \(tag) is not a date"))
    }
    return date
  }
}

// Tags of a card that kernels read which ask for a cryptogram (EMV 4.4 Book 3, annex A).
extension Tag {
  /// 9F08: application version number, card.
  static let cardApplicationVersion: Tag = 0x9F08
  /// 9F0D, 9F0E, 9F0F: issuer action codes.
  static let issuerActionDefault: Tag = 0x9F0D
  static let issuerActionDenial: Tag = 0x9F0E
  static let issuerActionOnline: Tag = 0x9F0F
  /// 9F42: application currency code.
  static let applicationCurrencyCode: Tag = 0x9F42
}
