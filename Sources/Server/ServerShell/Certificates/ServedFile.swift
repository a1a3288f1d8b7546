internal import Crypto
internal import Octets

/// What a server has read from one of its files, so that a reload reports whether it has changed.
///
/// The content is not kept. Two contents are compared by a digest with a key that only this process has, so a digest is of no
/// use to test a guessed secret. The digest is never printed. Only a certificate, which is public, has a fingerprint.
public struct ServedFile: Sendable {
  private static let key = SymmetricKey(size: .bits256)

  private let name: String
  /// The SHA-256 of a public content, as `openssl x509 -fingerprint -sha256` prints it; nil for a secret.
  private let fingerprint: String?
  private let digest: [UInt8]

  private init(_ name: String, _ content: [UInt8], fingerprint: String? = nil) {
    (self.name, self.fingerprint) = (name, fingerprint)
    digest = [UInt8](HMAC<SHA256>.authenticationCode(for: content, using: Self.key))
  }

  /// A chain of certificates in DER, the server's first. Its fingerprint is that of the server's certificate.
  static func certificate(chain: [[UInt8]]) -> ServedFile {
    let pairs = SHA256.hash(data: chain.first ?? []).map { [$0].hex }
    return ServedFile("certificate", chain.flatMap { $0 }, fingerprint: pairs.joined(separator: ":"))
  }

  /// The private key of the certificate, in PEM.
  static func key(_ content: String) -> ServedFile { ServedFile("key", Array(content.utf8)) }

  /// The token of the operator.
  public static func operatorToken(_ token: String) -> ServedFile { ServedFile("operator's token", Array(token.utf8)) }

  /// The file with the password of the database.
  public static func databasePassword(_ content: [UInt8]) -> ServedFile { ServedFile("database password", content) }

  /// Returns what the log says about this file after a reload, such as `key changed`.
  ///
  /// - Parameter former: What the server had before.
  package func change(from former: [ServedFile]) -> String {
    let isSame = former.contains { $0.name == name && $0.digest == digest }
    return "\(name) \(isSame ? "unchanged" : "changed")" + (fingerprint.map { " (SHA-256 \($0))" } ?? "")
  }
}
