internal import Ciphers

/// Signed static application data, tag 93: the issuer's signature over the static data (EMV 4.4 Book 2, 5.4).
public struct SignedStaticData: Hashable, Sendable {
  /// The data authentication code, tag 9F45, two bytes.
  public let authenticationCode: [UInt8]

  /// Recovers and checks the signature: one exponentiation.
  ///
  /// - Parameters:
  ///   - signature: Tag 93.
  ///   - issuer: The certificate of the issuer.
  ///   - staticData: The static data to be authenticated.
  ///   - isOnline: Whether the signature may also have format 93, that of kernel 3 for a reader that goes online.
  public init(
    _ signature: [UInt8], issuer: IssuerCertificate, staticData: [UInt8], isOnline: Bool = false
  ) throws(AuthenticationFailure) {
    let content = try issuer.key.recover(signature, as: .staticData)
    guard content[0] == 0x03 || isOnline && content[0] == 0x93 else { throw .format(.staticData) }
    guard content[1] == 0x01 else { throw .algorithm(.staticData) }
    let covered = Array(content.dropLast(SHA1.count))
    guard SHA1.digest(of: covered, staticData) == Array(content.suffix(SHA1.count)) else { throw .hash(.staticData) }
    authenticationCode = Array(content[2..<4])
  }
}
