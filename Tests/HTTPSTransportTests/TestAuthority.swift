import Crypto
import Foundation
import SwiftASN1
import TestSupport
import X509

/// A certificate authority of one test, with the files that servers and clients need.
struct TestAuthority {
  let directory: Scratch
  private let key = P256.Signing.PrivateKey()
  private let name: DistinguishedName

  init(_ commonName: String = "Contactless Test Authority") throws {
    directory = try Scratch()
    name = try DistinguishedName { CommonName(commonName) }
    let certificate = try certificate(
      for: Certificate.PublicKey(key.publicKey), subject: name, from: Date() - 3_600, until: Date() + 3_600,
      extensions: Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true))
      })
    _ = try directory.write("ca.pem", certificate.serializeAsPEM().pemString)
  }

  var file: String { directory.path("ca.pem") }

  /// The files of a server: its certificate and its key.
  struct ServerFiles {
    let certificate, key: String
  }

  /// Makes a certificate for a host name and writes it with its key.
  func server(_ host: String = "localhost", from: Date = Date() - 60, until: Date = Date() + 3_600) throws
    -> ServerFiles
  {
    let own = P256.Signing.PrivateKey()
    let certificate = try certificate(
      for: Certificate.PublicKey(own.publicKey), subject: try DistinguishedName { CommonName(host) }, from: from,
      until: until,
      extensions: Certificate.Extensions {
        SubjectAlternativeNames([.dnsName(host)])
        try ExtendedKeyUsage([.serverAuth])
      })
    let stem = UUID().uuidString
    return ServerFiles(
      certificate: try directory.write("\(stem).pem", certificate.serializeAsPEM().pemString),
      key: try directory.write("\(stem).key", own.pemRepresentation))
  }

  private func certificate(
    for publicKey: Certificate.PublicKey, subject: DistinguishedName, from: Date, until: Date,
    extensions: Certificate.Extensions
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: publicKey, notValidBefore: from,
      notValidAfter: until, issuer: name, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: extensions, issuerPrivateKey: Certificate.PrivateKey(key))
  }
}
