internal import Ciphers
internal import EMVData

/// What issuer and ICC certificates have in common: a name, an expiry, a serial number, the algorithms, a key of which a
/// part is in the certificate, and a hash (EMV 4.4 Book 2, tables 6 and 14).
struct Certificate {
  /// The form of a certificate.
  struct Form {
    let part: AuthenticationFailure.Part
    let format: UInt8
    /// The number of bytes of the name: of the issuer identifier or of the account number.
    let nameCount: Int

    static let issuer = Form(part: .issuerCertificate, format: 0x02, nameCount: 4)
    static let card = Form(part: .cardCertificate, format: 0x04, nameCount: 10)
  }

  let name: [UInt8]
  let serialNumber: [UInt8]
  let key: RSAPublicKey

  /// Recovers a certificate and checks it in the order of Book 2, 5.3 and 6.4, up to the account data.
  ///
  /// - Parameters:
  ///   - signed: The certificate, tag 90 or 9F46.
  ///   - remainder: The part of the modulus that the certificate has no room for, tag 92 or 9F48; empty without one.
  ///   - exponent: The exponent of the certified key, tag 9F32 or 9F47.
  ///   - signer: The key that signed it.
  ///   - further: What the hash covers after the exponent.
  ///   - date: The date of the transaction.
  init(
    _ form: Form, _ signed: [UInt8], remainder: [UInt8], exponent: [UInt8], signer: RSAPublicKey,
    covering further: [UInt8],
    at date: TransactionDate
  ) throws(AuthenticationFailure) {
    let part = form.part
    // The smallest modulus has 64 bytes, more than a certificate without a key.
    let content = try signer.recover(signed, as: part)
    guard content[0] == form.format else { throw .format(part) }
    let (covered, hash) = (Array(content.dropLast(SHA1.count)), Array(content.suffix(SHA1.count)))
    guard SHA1.digest(of: covered, remainder, exponent, further) == hash else { throw .hash(part) }
    let fields = covered.dropFirst(1 + form.nameCount)
    name = Array(covered.dropFirst().prefix(form.nameCount))
    serialNumber = Array(fields.dropFirst(2).prefix(3))
    try Self.checkExpiry(Array(fields.prefix(2)), of: part, at: date)
    let algorithms = Array(fields.dropFirst(5).prefix(4))
    guard algorithms[0] == 0x01, algorithms[1] == 0x01 else { throw .algorithm(part) }
    guard RSAPublicKey.isPermitted(exponent), Int(algorithms[3]) == exponent.count else { throw .exponent(part) }
    let modulus = try Self.modulus(
      Array(fields.dropFirst(9)), count: Int(algorithms[2]), remainder: remainder, of: part)
    guard modulus.count <= signer.modulus.count, let key = RSAPublicKey(modulus: modulus, exponent: exponent) else {
      throw .key(part)
    }
    self.key = key
  }

  /// Joins the key's part in the certificate, which is padded on the right when the whole key fits, and the remainder.
  private static func modulus(
    _ room: [UInt8], count: Int, remainder: [UInt8], of part: AuthenticationFailure.Part
  ) throws(AuthenticationFailure) -> [UInt8] {
    guard remainder.count == max(count - room.count, 0) else { throw .remainder(part) }
    return Array(room.prefix(count)) + remainder
  }

  /// Checks month and year, in four decimal digits: a certificate is valid to the last day of its month.
  private static func checkExpiry(
    _ octets: [UInt8], of part: AuthenticationFailure.Part, at date: TransactionDate
  ) throws(AuthenticationFailure) {
    guard let last = TransactionDate(numeric: [octets[1], octets[0], 0x01]) else { throw .date(part) }
    guard (date.year, date.month) <= (last.year, last.month) else { throw .expired(part) }
  }
}
