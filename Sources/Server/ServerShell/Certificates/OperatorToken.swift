internal import JOSE
internal import Octets

/// The token with which an operator administers the server, in a file of its own.
public enum OperatorToken {
  /// Reads a token: one line, 32 bytes in base64url.
  ///
  /// - Throws: `CertificateError` with code `inaccessible`, `damaged` or `exposed`.
  public static func read(_ path: String) throws(CertificateError) -> String {
    let lines = try IdentityFile(path: path).read(isSecret: true).split(
      separator: "\n", omittingEmptySubsequences: true)
    guard lines.count == 1, let octets = try? [UInt8](base64URL: String(lines[0])), octets.count == 32 else {
      throw CertificateError(.damaged, "\(path) is not an operator token: one line of 43 characters")
    }
    return String(lines[0])
  }

  /// Makes a token.
  static func make(_ random: any RandomSource) -> String {
    random.octets(32).base64URL
  }
}
