internal import Crypto
internal import Foundation
internal import Octets
internal import SwiftASN1
internal import X509

/// Makes the two certificates of a self-signed server. The key of the authority is not kept: it signs once.
struct CertificateAuthority {
  /// How long both certificates are valid, in days. Some clients refuse certificates for more than 825 days.
  static let validity = 820

  /// The certificates and the key of the server, in PEM.
  struct Issued {
    let authority: String
    let certificate: String
    let key: String
  }

  /// Makes the certificate of an authority and one for a server.
  ///
  /// - Parameters:
  ///   - hosts: The names and addresses of the server.
  ///   - now: The beginning of the validity; an hour earlier stands in the certificates, for clocks that are slow.
  static func issue(for hosts: [CertificateName], at now: WallTime) throws(CertificateError) -> Issued {
    let start = Date(timeIntervalSince1970: TimeInterval(now.seconds - 3_600))
    let end = Date(timeIntervalSince1970: TimeInterval(now.seconds + Int64(validity) * 86_400))
    let (authorityKey, serverKey) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    do {
      let authorityName = try DistinguishedName { CommonName("Contactless self-signed authority") }
      let authority = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(authorityKey.publicKey),
        notValidBefore: start, notValidAfter: end, issuer: authorityName, subject: authorityName,
        signatureAlgorithm: .ecdsaWithSHA256, extensions: try extensions(ofAuthority: authorityKey),
        issuerPrivateKey: .init(authorityKey))
      let server = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(serverKey.publicKey),
        notValidBefore: start, notValidAfter: end, issuer: authorityName,
        subject: try DistinguishedName { CommonName("Contactless server") }, signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try extensions(of: serverKey, for: hosts, by: authorityKey), issuerPrivateKey: .init(authorityKey))
      return Issued(
        authority: try authority.serializeAsPEM().pemString + "\n",
        certificate: try server.serializeAsPEM().pemString + "\n", key: serverKey.pemRepresentation + "\n")
    } catch {
      throw CertificateError(.damaged, "the certificates of the server cannot be made: \(error)")
    }
  }

  private static func extensions(ofAuthority key: P256.Signing.PrivateKey) throws -> Certificate.Extensions {
    try Certificate.Extensions {
      Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
      Critical(KeyUsage(keyCertSign: true))
      SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
    }
  }

  private static func extensions(
    of key: P256.Signing.PrivateKey, for hosts: [CertificateName], by authority: P256.Signing.PrivateKey
  ) throws -> Certificate.Extensions {
    let issuer = SubjectKeyIdentifier(hash: Certificate.PublicKey(authority.publicKey))
    return try Certificate.Extensions {
      Critical(BasicConstraints.notCertificateAuthority)
      Critical(KeyUsage(digitalSignature: true))
      try ExtendedKeyUsage([.serverAuth])
      SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
      AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier)
      SubjectAlternativeNames(hosts.map(\.generalName))
    }
  }
}
