public import Ciphers
public import EMVCard
internal import EMVData
public import ISO7816
internal import Octets

extension TestAuthority {
  /// Why a profile cannot be certified.
  public enum ProfileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The records of an application have no data object with this tag, or a wrong one.
    case missing(Tag)
    /// Files 1 to 10 are all used.
    case noFile
    /// The kernel of an application has no signatures.
    case kernel(String)
    /// The certificates of an application are those of another authority.
    case otherAuthority

    /// A sentence without a value of the card.
    public var description: String {
      switch self {
      case .missing(let tag): "a card that signs needs tag \(tag) in a record, with a valid value"
      case .noFile: "the certificates need a file from 1 to 10, and all are used"
      case .kernel(let name): "the kernel \"\(name)\" has no signatures"
      case .otherAuthority:
        """
        the card has certificates of another authority, whose keys are not here: make it with "tap card new --oda", \
        which takes the test authority
        """
      }
    }
  }

  /// Derives the signing key of an application that the authority has certified.
  ///
  /// - Returns: Nil for an application that makes no signatures, and for a key of a size that the authority does not sign.
  public static func cardKey(of application: CardImage.Application) -> RSASigningKey? {
    guard let bits = application.signingKey.map({ $0.modulus.count * 8 }), cardKeyBits.contains(bits),
      bits.isMultiple(of: 16)
    else { return nil }
    return cardKey(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber, bits: bits)
  }

  /// Makes a signing card of a profile: its applications get AIDs of the test authority, the bit of their kernel in tag 82,
  /// certificates over the record with tag 5A, and 50 euros up to which they approve offline.
  ///
  /// - Parameters:
  ///   - profile: A profile without certificates.
  ///   - keyBits: The size of the card's key, `cardKeyBits`, a multiple of 16; another one traps.
  public static func certified(
    _ profile: CardProfile, keyBits: Int = standardCardKeyBits
  ) throws(ProfileFailure) -> CardProfile {
    var certified = profile
    for index in certified.applications.indices {
      try certify(&certified.applications[index], keyBits)
      certified.applications[index].offlineApproval = (5000, "978")
    }
    return certified
  }

  private static func certify(
    _ application: inout CardProfile.Application, _ keyBits: Int
  ) throws(ProfileFailure) {
    let bits: [String: UInt8] = [
      "visa": 0x20, "mastercard": 0x01, "americanExpress": 0x01, "jcb": 0x01, "unionPay": 0x20, "discover": 0x01,
    ]
    guard let bit = bits[application.kernel] else { throw .kernel(application.kernel) }
    guard var profile = try? [UInt8](hex: application.aip), profile.count == 2 else {
      throw .missing(.applicationInterchangeProfile)
    }
    profile[0] |= bit
    application.aip = profile.hex
    application.aid = provider.hex + application.aid.filter { $0 != " " }.dropFirst(10)
    let place = application.records.firstIndex { record in record.data.contains { $0.hasPrefix("5A ") } }
    guard let place else { throw .missing(.primaryAccountNumber) }
    application.records[place].isSigned = true
    application.records[place].data.append("9F4A 82")
    guard let file = (1...10).first(where: { file in !application.records.contains { $0.sfi == file } }) else {
      throw .noFile
    }
    let certificates = try certificates(
      application, profile, keyBits: keyBits, from: Secret(copying: TestIssuer.publicTestKey))
    for (number, objects) in certificates.enumerated() {
      application.records.append(.init(sfi: file, record: number + 1, data: objects))
    }
    let key = keys(forCardKeyOf: keyBits).authorityKey().publicKey
    application.certificationAuthority = .init(modulus: key.modulus.hex, exponent: key.exponent.hex)
  }

  /// The data objects of the records with the certificates: those of the issuer, then those of the card. They cover the records
  /// that are signed.
  ///
  /// - Parameter masterKey: The key from which that of the card is derived.
  static func certificates(
    _ application: CardProfile.Application, _ profile: [UInt8], keyBits: Int = standardCardKeyBits,
    from masterKey: borrowing Secret
  ) throws(ProfileFailure) -> [[String]] {
    let all = application.records.flatMap(\.data).compactMap(CardProfile.dataObject)
    func value(_ tag: Tag) -> [UInt8]? { all.first { $0.tag == tag }?.value }
    guard let number = value(.primaryAccountNumber).flatMap({ PrimaryAccountNumber(compressedNumeric: $0) }) else {
      throw .missing(.primaryAccountNumber)
    }
    guard let expiry = value(.applicationExpirationDate).flatMap({ TransactionDate(numeric: $0) }) else {
      throw .missing(.applicationExpirationDate)
    }
    let covered = application.records.filter { $0.isSigned == true }.flatMap { record in
      // Files up to 10 are signed without template 70 (EMV 4.4 Book 3, 10.3).
      let inner = record.data.compactMap(CardProfile.dataObject).encoded
      return record.sfi <= 10 ? inner : TLVNode(.recordTemplate, inner).encoded
    }
    let key = cardKey(number, value(.panSequenceNumber)?.first, bits: keyBits, from: masterKey).publicKey
    let signers = keys(forCardKeyOf: keyBits)
    let objects = [
      signers.issuerCertificate(for: number, expiry: expiry),
      signers.cardCertificate(of: key, accountNumber: number, staticData: covered + profile, expiry: expiry),
    ]
    return objects.flatMap { objects in
      records(of: objects.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }.map { TLVNode($0.key, $0.value) })
    }
  }

  /// Distributes data objects to records of at most 254 bytes (EMV 4.4 Book 2, annex D1).
  private static func records(of objects: [TLVNode]) -> [[String]] {
    var records: [[TLVNode]] = [[]]
    for object in objects {
      let last = records[records.count - 1]
      if TLVNode(.recordTemplate, (last + [object]).encoded).encoded.count > 254, !last.isEmpty { records.append([]) }
      records[records.count - 1].append(object)
    }
    return records.map { $0.map { "\($0.tag) \($0.value.hex)" } }
  }
}
