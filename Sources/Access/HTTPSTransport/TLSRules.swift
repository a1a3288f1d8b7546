internal import Glibc
internal import NIOSSL

/// The rules of TLS of the client: the versions and cipher suites of the Nevis Mobile Authentication
/// SDK (security considerations, transport).
enum TLSRules {
  /// The suites of TLS 1.2 in the order of preference of the SDK. With the three suites of TLS 1.3, which BoringSSL
  /// always offers and in front of these, they are the eleven that the client offers.
  static let suites: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    .TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_RSA_WITH_AES_256_GCM_SHA384,
  ]

  static func configuration(_ trust: HTTPSTrust) throws(HTTPSTrustError) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuiteValues = suites
    configuration.certificateVerification = .fullVerification
    switch trust {
    case .system: configuration.trustRoots = .default
    case .authorities(let file): configuration.trustRoots = .certificates(try certificates(in: file))
    #if DebugFlavour
      case .unverified: configuration.certificateVerification = .none
    #endif
    }
    return configuration
  }

  private static func certificates(in file: String) throws(HTTPSTrustError) -> [NIOSSLCertificate] {
    let certificates: [NIOSSLCertificate]
    do {
      certificates = try NIOSSLCertificate.fromPEMFile(file)
    } catch {
      // The system copies the path.
      guard unsafe access(file, F_OK) == 0 else {
        throw HTTPSTrustError(
          description: "\(file) does not exist: a server that makes its certificate writes it when it starts")
      }
      throw HTTPSTrustError(description: "\(file): no certificates in PEM can be read from this file")
    }
    guard !certificates.isEmpty else { throw HTTPSTrustError(description: "\(file): the file contains no certificate") }
    return certificates
  }
}
