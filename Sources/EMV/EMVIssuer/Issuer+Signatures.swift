public import Ciphers
public import EMVCard
internal import EMVData
internal import ISO7816
internal import Octets

extension Issuer {
  /// Returns the key with which a card signs (EMV 4.4 Book 2, 6.5), 896 bits, which an issuer personalises. It is derived from the
  /// issuer master key for cryptograms, account number and sequence number, so that no ledger stores it. For test cards: the
  /// certificates are those of `TestAuthority`.
  public func cardSigningKey(of account: IssuerAccount) -> RSASigningKey {
    TestAuthority.cardKey(account.accountNumber, account.sequenceNumber, from: keys.cryptogram)
  }

  /// Makes the certificates of a signing card anew: for the account number that the profile has now, and for the key of this
  /// issuer. Applications without certificates stay as they are.
  ///
  /// - Parameter profile: A profile that `TestAuthority.certified` made, or another one with certificates of this authority,
  ///   of its key with index 01.
  /// - Throws: `TestAuthority.ProfileFailure`: `.otherAuthority`, and `.missing`.
  public func recertified(_ profile: CardProfile) throws(TestAuthority.ProfileFailure) -> CardProfile {
    var recertified = profile
    for index in recertified.applications.indices where profile.applications[index].certificationAuthority != nil {
      try recertify(&recertified.applications[index])
    }
    return recertified
  }

  private func recertify(_ application: inout CardProfile.Application) throws(TestAuthority.ProfileFailure) {
    let authority = TestAuthority.standard.authorityKey().publicKey
    let provider = (try? [UInt8](hex: application.aid))?.prefix(5)
    let named = application.certificationAuthority
    guard provider == TestAuthority.provider[...], Self.octets(named?.modulus) == authority.modulus,
      Self.octets(named?.exponent) == authority.exponent
    else { throw .otherAuthority }
    guard let bits = try? [UInt8](hex: application.aip), bits.count == 2 else {
      throw .missing(.applicationInterchangeProfile)
    }
    // Tag 9F4A states that the signature covers tag 82 too.
    let coversProfile = application.records.contains { $0.data.contains { Self.tag($0) == 0x9F4A } }
    let certificates = try TestAuthority.certificates(application, coversProfile ? bits : [], from: keys.cryptogram)
    for (objects, tag) in zip(certificates, [0x90, 0x9F46] as [Tag]) {
      let place = application.records.firstIndex { $0.data.contains { Self.tag($0) == tag } }
      guard let place else { throw .missing(tag) }
      let replaced = Set(objects.compactMap(Self.tag))
      for index in application.records.indices {
        application.records[index].data.removeAll { text in Self.tag(text).map(replaced.contains) ?? false }
      }
      application.records[place].data += objects
    }
  }

  private static func tag(_ text: String) -> Tag? { CardProfile.dataObject(text)?.tag }

  private static func octets(_ text: String?) -> [UInt8]? { text.flatMap { try? [UInt8](hex: $0) } }
}
