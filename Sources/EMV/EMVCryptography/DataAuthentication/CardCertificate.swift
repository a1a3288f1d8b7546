public import Ciphers
public import EMVData

/// The certificate of a card's key, recovered with the key of its issuer (EMV 4.4 Book 2, 6.4).
public struct CardCertificate: Hashable, Sendable {
  /// The serial number, three bytes.
  public let serialNumber: [UInt8]
  /// The card's key.
  public let key: RSAPublicKey

  /// Recovers and checks a certificate: one exponentiation.
  ///
  /// - Parameters:
  ///   - certificate: Tag 9F46.
  ///   - remainder: Tag 9F48; empty when the card sends none.
  ///   - exponent: Tag 9F47.
  ///   - issuer: The certificate of the issuer.
  ///   - staticData: The static data to be authenticated. A changed bit of them changes the hash.
  ///   - accountNumber: Tag 5A.
  ///   - date: The date of the transaction.
  /// - Throws: The failure of the first check that is not met.
  public init(
    _ certificate: [UInt8], remainder: [UInt8] = [], exponent: [UInt8], issuer: IssuerCertificate, staticData: [UInt8],
    accountNumber: PrimaryAccountNumber, at date: TransactionDate
  ) throws(AuthenticationFailure) {
    let recovered = try Certificate(
      .card, certificate, remainder: remainder, exponent: exponent, signer: issuer.key, covering: staticData, at: date)
    guard PrimaryAccountNumber(compressedNumeric: recovered.name) == accountNumber else { throw .accountNumber }
    (serialNumber, key) = (recovered.serialNumber, recovered.key)
  }
}
