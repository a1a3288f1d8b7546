internal import EMVData
internal import ISO7816
internal import Octets

// The data objects of a card that kernel 3 decides with, checked for presence and length.
struct Kernel3CardData {
  let accountNumber: PrimaryAccountNumber
  let cryptogramType: CryptogramType
  let qualifiers: CardTransactionQualifiers?
  let relatedData: [UInt8]?
  let expiry: TransactionDate?

  // Mandatory are tags 57, 82, 9F10, 9F26 and 9F36 (Book C-3 v2.11, 5.4.2.1).
  private static let mandatory: [(tag: Tag, counts: ClosedRange<Int>)] = [
    (.applicationInterchangeProfile, 2...2), (.applicationTransactionCounter, 2...2), (.applicationCryptogram, 8...8),
    (.issuerApplicationData, 1...32), (.track2EquivalentData, 1...19),
  ]
  private static let optional: [(tag: Tag, counts: ClosedRange<Int>)] = [
    (.cryptogramInformationData, 1...1), (.cardTransactionQualifiers, 2...2), (.panSequenceNumber, 1...1),
    (.applicationExpirationDate, 3...3),
  ]

  init(_ card: CardData, _ rules: QualifierRules) throws(StepFailure) {
    for (tag, counts) in Self.mandatory {
      guard let value = card.value(tag) else { throw StepFailure(.decision, .missing(tag)) }
      try Self.check(tag, value, counts)
    }
    for (tag, counts) in Self.optional + rules.lengths {
      if let value = card.value(tag) { try Self.check(tag, value, counts) }
    }
    accountNumber = try Self.accountNumber(card)
    cryptogramType = try Self.cryptogramType(card, rules)
    qualifiers = card.value(.cardTransactionQualifiers).map { octets in
      CardTransactionQualifiers(rawValue: UInt16(bigEndian: octets) ?? 0)
    }
    relatedData = rules.signedRelatedData(card.value(.cardAuthenticationRelatedData))
    expiry = try Self.expiry(card)
  }

  private static func check(_ tag: Tag, _ value: [UInt8], _ counts: ClosedRange<Int>) throws(StepFailure) {
    guard counts.contains(value.count) else { throw StepFailure(.decision, .length(tag, count: value.count)) }
  }

  // Tags 57 and 5A must hold the same account number. Book C-3 does not say what follows from a difference; the
  // application ends, because the terminal cannot know which of the two the host uses.
  private static func accountNumber(_ card: CardData) throws(StepFailure) -> PrimaryAccountNumber {
    guard let track = card.value(.track2EquivalentData).flatMap(Track2EquivalentData.init) else {
      throw StepFailure(.decision, .malformed("tag 57 is not track 2 data"))
    }
    guard let octets = card.value(.primaryAccountNumber) else { return track.accountNumber }
    guard PrimaryAccountNumber(compressedNumeric: octets) == track.accountNumber else {
      throw StepFailure(.decision, .accountNumbersDiffer)
    }
    return track.accountNumber
  }

  // A card without tag 9F27 gives the type in byte 5 of tag 9F10, bits 6 and 5 (5.4.3.1). That byte is the second of
  // the card verification results in every layout of tag 9F10.
  private static func cryptogramType(
    _ card: CardData, _ rules: QualifierRules
  ) throws(StepFailure) -> CryptogramType {
    let type: CryptogramType?
    if let octet = card.value(.cryptogramInformationData)?.first {
      type = CryptogramType(cryptogramInformationData: octet)
    } else {
      let data = card.value(.issuerApplicationData) ?? []
      guard rules.readsTypeOfIssuerData, data.count >= 5 else {
        throw StepFailure(.decision, .missing(.cryptogramInformationData))
      }
      type = CryptogramType(visaCardVerificationResults: data.dropFirst(3))
    }
    guard let type else { throw StepFailure(.decision, .reservedCryptogram) }
    return type
  }

  private static func expiry(_ card: CardData) throws(StepFailure) -> TransactionDate? {
    guard let octets = card.value(.applicationExpirationDate) else { return nil }
    guard let date = TransactionDate(numeric: octets) else {
      throw StepFailure(.decision, .malformed("tag 5F24 is not a date"))
    }
    return date
  }
}
