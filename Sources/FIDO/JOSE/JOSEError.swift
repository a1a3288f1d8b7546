/// A failure to read, verify, decrypt or create a JOSE object (RFC 7515 to 7518).
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// The text is not a JOSE object in compact serialization, or a member of its header has the wrong form.
    case malformed
    /// The object uses an algorithm, a compression or a critical extension that this library does not implement.
    case unsupported
    /// The key is not valid, or it must not be used for this purpose.
    case invalidKey
    /// The signature or the authentication tag is wrong. All causes have the same text, since the difference would help
    /// an attacker.
    case notAuthentic
    /// The key store could not sign or agree on a key.
    case keyUnavailable
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence with the value and the limit. It contains no key, no plaintext and no signature.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }

  static let forgery = JOSEError(.notAuthentic, "the signature or the authentication tag is wrong")
}
