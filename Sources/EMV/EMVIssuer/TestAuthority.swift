public import Ciphers
public import EMVCryptography
public import EMVData
public import ISO7816
internal import Octets
internal import Synchronization

/// A certification authority with one issuer, for tests and development. All keys are public or derived from public ones; the RID
/// belongs to no scheme, so that no real terminal accepts its cards.
public enum TestAuthority {
  /// The RID, five bytes.
  public static let provider: [UInt8] = [0xF0, 0x00, 0x00, 0x00, 0x01]
  /// Signs keys of cards up to 1,024 bits: authority 1,152 bits, issuer 1,024.
  public static let standard = KeyPair(index: 0x01, authority: standardAuthority, issuer: standardIssuer)
  /// Signs keys of cards up to 1,968 bits: authority 1,984 bits, issuer 1,968, so that the record with its certificate of the
  /// issuer has at most 254 bytes.
  public static let large = KeyPair(index: 0x02, authority: largeAuthority, issuer: largeIssuer)
  /// The sizes of a card's key, in bits: those with an even number of bytes.
  public static let cardKeyBits = 512...1968
  /// The size of a card's key when nothing else is asked for, in bits.
  public static let standardCardKeyBits = 896

  /// The keys of the authority for a terminal.
  public static func keys() -> [CertificationAuthorityKey] { [standard, large].map { $0.terminalKey() } }

  /// The pair that signs a key of a card.
  ///
  /// - Parameter bits: The size of the card's key, `cardKeyBits`.
  public static func keys(forCardKeyOf bits: Int) -> KeyPair { bits <= 1024 ? standard : large }

  /// Derives the key of a card from the issuer's public test key, account number and sequence number.
  ///
  /// - Parameters:
  ///   - sequenceNumber: Tag 5F34; nil is read as 00.
  ///   - bits: The size, `cardKeyBits`, a multiple of 16; another one traps.
  public static func cardKey(
    accountNumber: PrimaryAccountNumber, sequenceNumber: UInt8?, bits: Int = standardCardKeyBits
  ) -> RSASigningKey {
    let card = CardKeyName(account: accountNumber.compressedNumeric, sequenceNumber: sequenceNumber ?? 0, bits: bits)
    if let primes = recentPrimes.withLock({ $0[card] }),
      let key = RSASigningKey(primes: Secret(copying: primes), exponent: [0x03])
    {
      return key
    }
    let key = cardKey(accountNumber, sequenceNumber, bits: bits, from: Secret(copying: TestIssuer.publicTestKey))
    let primes = key.exposedPrimes().withExposedOctets { $0.array }
    recentPrimes.withLock { recent in
      if recent.count == recentLimit { recent.removeAll() }
      recent[card] = primes
    }
    return key
  }

  /// What a key of a card is derived from, besides the issuer's key.
  private struct CardKeyName: Hashable, Sendable {
    let account: [UInt8]
    let sequenceNumber: UInt8
    let bits: Int
  }

  /// The primes of the keys that were derived last. The search for two primes takes longer than a payment, and a pack of
  /// scenarios presents the same few cards many times. Everybody can derive them.
  private static let recentPrimes = Mutex<[CardKeyName: [UInt8]]>([:])
  private static let recentLimit = 64

  /// Derives the key of a card from an issuer master key, account number and sequence number.
  static func cardKey(
    _ accountNumber: PrimaryAccountNumber, _ sequenceNumber: UInt8?, bits: Int = standardCardKeyBits,
    from masterKey: borrowing Secret
  ) -> RSASigningKey {
    let card = accountNumber.compressedNumeric + [sequenceNumber ?? 0]
    let seed = masterKey.withExposedOctets { key in
      var seed = key.array + card
      return Secret(wiping: &seed)
    }
    return RSASigningKey.derived(count: bits / 8, from: seed)
  }

  /// A key of the authority and the issuer's key that it signs.
  public struct KeyPair: Sendable {
    /// The index of the authority's key, tag 8F.
    public let index: UInt8
    fileprivate let authority: Primes
    fileprivate let issuer: Primes

    /// The key of the authority.
    public func authorityKey() -> RSASigningKey { authority.key() }

    /// The key of the issuer.
    public func issuerKey() -> RSASigningKey { issuer.key() }

    /// The key of the authority for a terminal.
    public func terminalKey() -> CertificationAuthorityKey {
      let key = authorityKey().publicKey
      let checksum = CertificationAuthorityKey.checksum(
        provider: provider, index: index, modulus: key.modulus, exponent: key.exponent)
      do throws(CertificationAuthorityKey.Fault) {
        return try CertificationAuthorityKey(
          provider: provider, index: index, modulus: key.modulus, exponent: key.exponent, checksum: checksum)
      } catch { preconditionFailure("the test authority has a usable key: \(error)") }
    }

    /// Returns the data objects with which a terminal finds the key of the issuer: tags 8F, 90, 92 and 9F32.
    ///
    /// - Parameters:
    ///   - accountNumber: The number whose first six digits are the issuer's identifier.
    ///   - expiry: A day of the last month.
    public func issuerCertificate(
      for accountNumber: PrimaryAccountNumber, expiry: TransactionDate
    ) -> [Tag: [UInt8]] {
      let new = NewCertificate.issuer(
        identifier: Array(accountNumber.compressedNumeric.prefix(3)), expiry: expiry, serialNumber: [0, 0, 1])
      guard let signed = new.signed(issuerKey().publicKey, by: authorityKey()) else {
        preconditionFailure("the test authority signs")
      }
      return [0x8F: [index], 0x90: signed.certificate, 0x92: signed.remainder, 0x9F32: issuerKey().publicKey.exponent]
    }

    /// Returns the data objects with which a terminal finds the key of a card: tags 9F46, 9F47 and 9F48.
    ///
    /// - Parameters:
    ///   - key: The key of the card, at most as long as the issuer's.
    ///   - accountNumber: Tag 5A.
    ///   - staticData: The static data to be authenticated.
    ///   - expiry: A day of the last month.
    public func cardCertificate(
      of key: RSAPublicKey, accountNumber: PrimaryAccountNumber, staticData: [UInt8], expiry: TransactionDate
    ) -> [Tag: [UInt8]] {
      let new = NewCertificate.card(accountNumber: accountNumber, expiry: expiry, serialNumber: [0, 0, 2])
      guard let signed = new.signed(key, covering: staticData, by: issuerKey()) else {
        preconditionFailure("the issuer of the test authority signs")
      }
      return [0x9F46: signed.certificate, 0x9F47: key.exponent, 0x9F48: signed.remainder]
    }
  }

  /// Public primes of a key.
  fileprivate struct Primes: Sendable {
    let p: String
    let q: String

    func key() -> RSASigningKey {
      guard let p = try? [UInt8](hex: p), let q = try? [UInt8](hex: q),
        let key = RSASigningKey(p: Secret(copying: p), q: Secret(copying: q))
      else { preconditionFailure("the primes of the test authority make a key") }
      return key
    }
  }

  private static let standardAuthority = Primes(
    p: """
      D58A396991795035F6EEEEFFEB4B9B08A1B5102008052BF7032A1ABC59A9734D7B1BC1A09310E5D5F16DCBC684C4889D \
      9706DC1802D23E584D56A2A99EB4201877A87B0E94C2CA1F
      """,
    q: """
      E83BC6E6CBE82EC97B1057C0F17C10FBABDE488ECF959C3D1C959D8266A0C45CB5FFC7FBA2D8D321E1214BEF06559F87 \
      D1D3B169D2544064C7488827770C75A164E54DF01BE44685
      """
  )

  private static let standardIssuer = Primes(
    p: """
      D73759073558EEBB84473D56C4D5BDFD35AA5642D3B42B9E51F0F2F623AEA2F2693F6C32947EB892F9078B3BA2D8C108 \
      AB24D24FA55185B2E20865C2A4ED189F
      """,
    q: """
      D13B0FFBA95400357B1383257994A21AE16E646D23885E2A431A46D12F386416D2E6307DD268BA9D2C437DF787BC5DB9 \
      E2D5EC79E25AA40FC8A60EA1478674E1
      """
  )

  private static let largeAuthority = Primes(
    p: """
      F926B00693DCEFD692B35CE273879153D838A3E7668AADB0EC0618FCA585FB19DCF72D3072364470D56029135C3B2E97 \
      AB556E49B4BECDE93A442513F75DD0C7B8ABA4FB42474651F6E5A9C3B7C3A313CF7ACE706BCD21A7F1DA9D02004F5328 \
      3BF271A376681B1B8FC989116F06F9D6D289122582D21BB00C82C325
      """,
    q: """
      E0787058FB67EC281FADBCB245C1783ECB1A5699926AE976B15C658F14F66813BD75CFB13B69723C0A18552EF936F0C8 \
      134FE07F03E94B031CC4AF5EA222AD9A4498A93FC627FFE473FCC8FC95F61B08095DA52D7E958F5ECF9F15A07D547B7F \
      15C326213E769865664E350AFE5688C17338E292380E0576468100AD
      """
  )

  private static let largeIssuer = Primes(
    p: """
      D8C667B74C03E364D2C3E9AE9965A9F1FC6134FF0CA69B4D03FC2375B47703EFE945EE86D055D952DED639F2C53E46FA \
      35F81F411BD2823040AD541F4A59BEEA9CADA64F0872F59571F9A5F0CBA31D4F6BD33E670EFA6220E58993289AEBA043 \
      40585E71CFCE349D1FDC68DDDE155114886981EA807C6A4E4D4F35
      """,
    q: """
      D40D8BAD8240196B07BD91A883673773F3076BB3391AF24AF446834CB43AD550B2214F8E8011521C005A204C5DCD5B9D \
      0E144829B2288F4BCF28024F7CF06702EE7977F0C0E073260BA0207722BA11C7CA819F726FF4EFB5FEB4232F8948C02F \
      51836976035392D732231788CC3B7C61A20CA51F3154B2C9A5ED2D
      """
  )
}
