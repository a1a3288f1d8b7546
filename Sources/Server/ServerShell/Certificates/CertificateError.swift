/// Why the server has no certificate to identify itself with.
public struct CertificateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// A file cannot be read, or a file or the directory cannot be written.
    case inaccessible
    /// A file has the wrong form.
    case damaged
    /// Some files of a self-signed set exist and some do not.
    case incomplete
    /// The files do not belong together.
    case mismatch
    /// The certificate is expired or not valid yet.
    case notValidNow
    /// The certificate is for other hosts than the one that the server listens on.
    case wrongHost
    /// Other users of the machine can read a secret.
    case exposed
    /// The kind of the key is not supported.
    case unsupportedKey
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence with the file and the remedy, without secrets.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

  /// The reason.
  public var description: String { reason }
}
