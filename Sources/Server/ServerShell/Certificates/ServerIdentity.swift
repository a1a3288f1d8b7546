internal import Crypto
internal import CryptoExtras
internal import Foundation
public import NIOSSL
public import Octets
internal import SwiftASN1
internal import X509

/// The chain of certificates and the private key with which the server identifies itself.
public struct ServerIdentity: Sendable {
  /// What the key can sign, which decides on the cipher suites.
  enum KeyKind {
    case ellipticCurve
    case rsa
  }

  let leaf: Certificate
  let kind: KeyKind
  private let chain: [NIOSSLCertificate]
  private let key: NIOSSLPrivateKey
  private let keyFile: ServedFile

  /// Reads a chain of certificates, the server's first, and its private key. Both are PEM files.
  ///
  /// - Parameter now: The moment at which the certificate must be valid.
  /// - Throws: `CertificateError`.
  public init(certificateFile: String, keyFile: String, at now: WallTime) throws(CertificateError) {
    let certificates = try IdentityFile(path: certificateFile).read(isSecret: false)
    let secret = try IdentityFile(path: keyFile).read(isSecret: true)
    do {
      chain = try NIOSSLCertificate.fromPEMBytes(Array(certificates.utf8))
      leaf = try Certificate(pemEncoded: certificates)
    } catch {
      throw CertificateError(.damaged, "\(certificateFile) is not a chain of certificates in PEM")
    }
    guard let privateKey = Self.privateKey(secret),
      let usable = try? NIOSSLPrivateKey(bytes: Array(secret.utf8), format: .pem)
    else { throw CertificateError(.damaged, Self.keyReason(keyFile)) }
    key = usable
    self.keyFile = .key(secret)
    guard privateKey.publicKey == leaf.publicKey else {
      throw CertificateError(
        .mismatch, "the key of \(keyFile) does not belong to the certificate of \(certificateFile)")
    }
    kind = try Self.kind(of: leaf.publicKey, in: certificateFile)
    try leaf.check(at: now, certificateFile)
  }

  /// The private key of a PEM text; nil for another text and for a key that is not supported.
  static func privateKey(_ text: String) -> Certificate.PrivateKey? {
    guard (try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem)) != nil else { return nil }
    return try? Certificate.PrivateKey(pemEncoded: text)
  }

  static func keyReason(_ file: String) -> String {
    "\(file) is not a private key in PEM without a password, or an RSA key of less than 2048 bits"
  }

  static func kind(of key: Certificate.PublicKey, in file: String) throws(CertificateError) -> KeyKind {
    if P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil { return .ellipticCurve }
    guard _RSA.Signing.PublicKey(key) != nil else {
      throw CertificateError(.unsupportedKey, "\(file): the key must be one on P-256 or P-384, or an RSA key")
    }
    return .rsa
  }

  /// The hosts of the certificate, as they stand in a URL. Names with a wildcard are left out: such a name can be that of
  /// another server.
  public var hosts: [String] {
    guard let names = try? leaf.extensions.subjectAlternativeNames else { return [] }
    return names.compactMap { name in
      switch name {
      case .dnsName(let name): name.contains("*") ? nil : name.lowercased()
      case .ipAddress(let address): NetworkAddress.urlHost(Array(address.bytes))
      default: nil
      }
    }
  }

  /// The certificate in DER.
  package var certificate: [UInt8]? { try? chain.first?.toDERBytes() }

  /// What was read: the certificate and its key.
  public var files: [ServedFile] {
    [.certificate(chain: chain.compactMap { try? $0.toDERBytes() }), keyFile]
  }

  /// The TLS settings of the server: TLS 1.2 and 1.3, with those of the client's eleven cipher suites that the key allows.
  ///
  /// NIOSSL always offers the three suites of TLS 1.3. Clients are not asked for a certificate.
  public var tlsConfiguration: TLSConfiguration {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues =
      switch kind {
      case .ellipticCurve:
        [
          .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
          .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
      case .rsa:
        [
          .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
          .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_RSA_WITH_AES_128_GCM_SHA256,
          .TLS_RSA_WITH_AES_256_GCM_SHA384,
        ]
      }
    configuration.applicationProtocols = ["http/1.1"]
    return configuration
  }
}

extension Certificate {
  /// Checks the period of validity.
  func check(at now: WallTime, _ file: String) throws(CertificateError) {
    let moment = Date(timeIntervalSince1970: TimeInterval(now.seconds))
    guard moment <= notValidAfter else {
      throw CertificateError(.notValidNow, "the certificate of \(file) expired at \(notValidAfter)")
    }
    guard moment >= notValidBefore else {
      throw CertificateError(.notValidNow, "the certificate of \(file) is not valid before \(notValidBefore)")
    }
  }
}
