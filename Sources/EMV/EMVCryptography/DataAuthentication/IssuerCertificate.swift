public import Ciphers
public import EMVData
internal import Octets

/// The certificate of an issuer's key, recovered with the key of a certification authority (EMV 4.4 Book 2, 5.3).
public struct IssuerCertificate: Hashable, Sendable {
  /// The first 3 to 8 digits of the account numbers of this issuer.
  public let identifier: String
  /// The serial number, three bytes.
  public let serialNumber: [UInt8]
  /// The issuer's key.
  public let key: RSAPublicKey

  /// Recovers and checks a certificate: one exponentiation.
  ///
  /// - Parameters:
  ///   - certificate: Tag 90.
  ///   - remainder: Tag 92; empty when the card sends none.
  ///   - exponent: Tag 9F32.
  ///   - authority: The key with the RID of the application and the index of tag 8F.
  ///   - revoked: The certificates that are not accepted any more.
  ///   - accountNumber: Tag 5A.
  ///   - date: The date of the transaction.
  /// - Throws: The failure of the first check that is not met.
  public init(
    _ certificate: [UInt8], remainder: [UInt8] = [], exponent: [UInt8], authority: CertificationAuthorityKey,
    revoked: Set<RevokedCertificate> = [], accountNumber: PrimaryAccountNumber, at date: TransactionDate
  ) throws(AuthenticationFailure) {
    let recovered = try Certificate(
      .issuer, certificate, remainder: remainder, exponent: exponent, signer: authority.key, covering: [], at: date)
    let digits = recovered.name.map(\.hex).joined()
    let identifier = String(digits.prefix { $0 != "F" })
    guard (3...8).contains(identifier.utf8.count), digits.dropFirst(identifier.utf8.count).allSatisfy({ $0 == "F" }),
      accountNumber.exposedDigits.hasPrefix(identifier)
    else { throw .identifier }
    let entry = RevokedCertificate(
      provider: authority.provider, index: authority.index, serialNumber: recovered.serialNumber)
    guard !revoked.contains(entry) else { throw .revoked }
    (self.identifier, serialNumber, key) = (identifier, recovered.serialNumber, recovered.key)
  }
}
