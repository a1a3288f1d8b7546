internal import Crypto
internal import JOSE
internal import SwiftASN1

extension ChannelBinding {
  /// The binding to a TLS connection on which the server has presented a certificate (FIDO UAF Protocol Specification 1.1,
  /// section 3.1.7): the certificate, and its hash `tls-server-end-point`.
  ///
  /// - Parameter certificate: The certificate in DER. Bytes that are not a certificate give a binding without a hash.
  public init(certificate: [UInt8]) {
    self.init(serverEndPoint: Self.endPoint(of: certificate)?.base64URL, serverCertificate: certificate.base64URL)
  }

  /// The hash of a certificate with the hash function of its signature, and with SHA-256 in place of MD5 and SHA-1
  /// (RFC 5929, section 4.1). Nil where the RFC defines none: a signature without one hash function, such as Ed25519, and
  /// RSASSA-PSS, whose functions are parameters.
  private static func endPoint(of certificate: [UInt8]) -> [UInt8]? {
    switch try? signatureAlgorithm(of: certificate) {
    case [1, 2, 840, 113_549, 1, 1, 4], [1, 2, 840, 113_549, 1, 1, 5], [1, 2, 840, 113_549, 1, 1, 11],
      [1, 2, 840, 10_045, 4, 1], [1, 2, 840, 10_045, 4, 3, 2]:
      [UInt8](SHA256.hash(data: certificate))
    case [1, 2, 840, 113_549, 1, 1, 12], [1, 2, 840, 10_045, 4, 3, 3]: [UInt8](SHA384.hash(data: certificate))
    case [1, 2, 840, 113_549, 1, 1, 13], [1, 2, 840, 10_045, 4, 3, 4]: [UInt8](SHA512.hash(data: certificate))
    default: nil
    }
  }

  // Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm, signature } (RFC 5280, section 4.1).
  private static func signatureAlgorithm(of certificate: [UInt8]) throws -> ASN1ObjectIdentifier {
    try DER.sequence(DER.parse(certificate), identifier: .sequence) { nodes in
      _ = nodes.next()
      guard let algorithm = nodes.next() else {
        throw AssertionError(.unacceptableContent, "a certificate has an algorithm")
      }
      _ = nodes.next()
      return try DER.sequence(algorithm, identifier: .sequence) { nodes in
        let identifier = try ASN1ObjectIdentifier(derEncoded: &nodes)
        _ = nodes.next()
        return identifier
      }
    }
  }
}
