public import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets

/// A certification authority with one issuer, for tests and development. All keys are public or derived from public ones; the RID
/// belongs to no scheme, so that no real terminal accepts its cards.
public enum TestAuthority {
  /// The RID, five bytes.
  public static let provider: [UInt8] = [0xF0, 0x00, 0x00, 0x00, 0x01]
  /// The index of the authority's key, tag 8F.
  public static let index: UInt8 = 0x01

  /// The key of the authority, 1,152 bits.
  public static func signingKey() -> RSASigningKey { key(authorityPrimes) }

  /// The key of the authority for a terminal.
  public static func key() -> CertificationAuthorityKey {
    let key = signingKey().publicKey
    let checksum = CertificationAuthorityKey.checksum(
      provider: provider, index: index, modulus: key.modulus, exponent: key.exponent)
    do throws(CertificationAuthorityKey.Fault) {
      return try CertificationAuthorityKey(
        provider: provider, index: index, modulus: key.modulus, exponent: key.exponent, checksum: checksum)
    } catch { preconditionFailure("the test authority has a usable key: \(error)") }
  }

  /// The key of the issuer, 1,024 bits.
  public static func issuerKey() -> RSASigningKey { key(issuerPrimes) }

  /// Derives the key of a card, 896 bits, from the issuer's public test key, account number and sequence number.
  ///
  /// - Parameter sequenceNumber: Tag 5F34; nil is read as 00.
  public static func cardKey(accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?) -> RSASigningKey {
    cardKey(accountNumber, sequenceNumber, from: Secret(copying: TestIssuer.publicTestKey))
  }

  /// Derives the key of a card, 896 bits, from an issuer master key, account number and sequence number.
  static func cardKey(
    _ accountNumber: PrimaryAccountNumber, _ sequenceNumber: UInt8?, from masterKey: borrowing Secret
  ) -> RSASigningKey {
    let card = accountNumber.compressedNumeric + [sequenceNumber ?? 0]
    let seed = masterKey.withExposedOctets { key in
      var seed = key.array + card
      return Secret(wiping: &seed)
    }
    return RSASigningKey.derived(count: 112, from: seed)
  }

  /// Returns the data objects with which a terminal finds the key of the issuer: tags 8F, 90, 92 and 9F32.
  ///
  /// - Parameters:
  ///   - accountNumber: The number whose first six digits are the issuer's identifier.
  ///   - expiry: A day of the last month.
  public static func issuerCertificate(
    for accountNumber: PrimaryAccountNumber, expiry: TransactionDate
  ) -> [Tag: [UInt8]] {
    let new = NewCertificate.issuer(
      identifier: Array(accountNumber.compressedNumeric.prefix(3)), expiry: expiry, serialNumber: [0, 0, 1])
    guard let signed = new.signed(issuerKey().publicKey, by: signingKey()) else {
      preconditionFailure("the test authority signs")
    }
    return [0x8F: [index], 0x90: signed.certificate, 0x92: signed.remainder, 0x9F32: issuerKey().publicKey.exponent]
  }

  /// Returns the data objects with which a terminal finds the key of a card: tags 9F46, 9F47 and 9F48.
  ///
  /// - Parameters:
  ///   - key: The key of the card, at most 1,024 bits.
  ///   - accountNumber: Tag 5A.
  ///   - staticData: The static data to be authenticated.
  ///   - expiry: A day of the last month.
  public static func cardCertificate(
    of key: RSAPublicKey, accountNumber: PrimaryAccountNumber, staticData: [UInt8], expiry: TransactionDate
  ) -> [Tag: [UInt8]] {
    let new = NewCertificate.card(accountNumber: accountNumber, expiry: expiry, serialNumber: [0, 0, 2])
    guard let signed = new.signed(key, covering: staticData, by: issuerKey()) else {
      preconditionFailure("the issuer of the test authority signs")
    }
    return [0x9F46: signed.certificate, 0x9F47: key.exponent, 0x9F48: signed.remainder]
  }

  private static func key(_ primes: (p: String, q: String)) -> RSASigningKey {
    guard let p = try? [UInt8](hex: primes.p), let q = try? [UInt8](hex: primes.q),
      let key = RSASigningKey(p: Secret(copying: p), q: Secret(copying: q))
    else { preconditionFailure("the primes of the test authority make a key") }
    return key
  }

  /// Public primes of the authority.
  private static let authorityPrimes = (
    p: """
    D58A396991795035F6EEEEFFEB4B9B08A1B5102008052BF7032A1ABC59A9734D7B1BC1A09310E5D5F16DCBC684C4889D \
    9706DC1802D23E584D56A2A99EB4201877A87B0E94C2CA1F
    """,
    q: """
    E83BC6E6CBE82EC97B1057C0F17C10FBABDE488ECF959C3D1C959D8266A0C45CB5FFC7FBA2D8D321E1214BEF06559F87 \
    D1D3B169D2544064C7488827770C75A164E54DF01BE44685
    """
  )

  /// Public primes of the issuer.
  private static let issuerPrimes = (
    p: """
    D73759073558EEBB84473D56C4D5BDFD35AA5642D3B42B9E51F0F2F623AEA2F2693F6C32947EB892F9078B3BA2D8C108 \
    AB24D24FA55185B2E20865C2A4ED189F
    """,
    q: """
    D13B0FFBA95400357B1383257994A21AE16E646D23885E2A431A46D12F386416D2E6307DD268BA9D2C437DF787BC5DB9 \
    E2D5EC79E25AA40FC8A60EA1478674E1
    """
  )
}
