public import Ciphers
public import EMVData

/// A certificate that an authority or an issuer makes (EMV 4.4 Book 2, tables 2 and 10).
public struct NewCertificate: Sendable {
  /// A signed certificate, and the part of the key for which it has no room.
  public struct Signed: Hashable, Sendable {
    /// Tag 90 or 9F46.
    public let certificate: [UInt8]
    /// Tag 92 or 9F48; empty when the whole key fits.
    public let remainder: [UInt8]
  }

  private let form: Certificate.Form
  private let name: [UInt8]
  private let expiry: [UInt8]
  private let serialNumber: [UInt8]

  private init(_ form: Certificate.Form, name: [UInt8], expiry: TransactionDate, serialNumber: [UInt8]) {
    precondition(serialNumber.count == 3, "a certificate has a serial number of 3 bytes")
    (self.form, self.serialNumber) = (form, serialNumber)
    self.name = name + [UInt8](repeating: 0xFF, count: form.nameCount - name.count)
    self.expiry = [expiry.numeric[1], expiry.numeric[0]]
  }

  /// Describes the certificate of an issuer.
  ///
  /// - Parameters:
  ///   - identifier: The beginning of its account numbers, 2 to 4 bytes, two digits in each; another length traps.
  ///   - expiry: A day of the last month.
  ///   - serialNumber: Three bytes; another length traps.
  public static func issuer(
    identifier: [UInt8], expiry: TransactionDate, serialNumber: [UInt8]
  ) -> NewCertificate {
    precondition((2...4).contains(identifier.count), "an issuer identifier has 2 to 4 bytes")
    return NewCertificate(.issuer, name: identifier, expiry: expiry, serialNumber: serialNumber)
  }

  /// Describes the certificate of a card.
  ///
  /// - Parameters:
  ///   - accountNumber: Tag 5A.
  ///   - expiry: A day of the last month.
  ///   - serialNumber: Three bytes; another length traps.
  public static func card(
    accountNumber: PrimaryAccountNumber, expiry: TransactionDate, serialNumber: [UInt8]
  ) -> NewCertificate {
    NewCertificate(.card, name: accountNumber.compressedNumeric, expiry: expiry, serialNumber: serialNumber)
  }

  /// Signs the certificate of a key.
  ///
  /// - Parameters:
  ///   - key: The key that is certified, not longer than the signer's.
  ///   - staticData: For a card the static data to be authenticated; empty for an issuer.
  ///   - signer: The key of the authority or the issuer.
  /// - Returns: Nil when the signature is not confirmed by the public key of the signer.
  public func signed(
    _ key: RSAPublicKey, covering staticData: [UInt8] = [], by signer: borrowing RSASigningKey
  ) -> Signed? {
    let count = signer.publicKey.modulus.count
    precondition(key.modulus.count <= count, "a certified key is not longer than that of its signer")
    let room = count - 32 - form.nameCount
    let padding = [UInt8](repeating: 0xBB, count: max(room - key.modulus.count, 0))
    let remainder = Array(key.modulus.dropFirst(room))
    let content =
      [form.format] + name + expiry + serialNumber
      + [0x01, 0x01, UInt8(key.modulus.count), UInt8(key.exponent.count)] + key.modulus.prefix(room) + padding
    let hash = SHA1.digest(of: content, remainder, key.exponent, staticData)
    var block = [0x6A] + content + hash + [0xBC]
    let scratch = signer.makeScratch()
    var span = block.mutableSpan
    let isSigned = signer.sign(&span, scratch: scratch)
    return isSigned ? Signed(certificate: block, remainder: remainder) : nil
  }
}
