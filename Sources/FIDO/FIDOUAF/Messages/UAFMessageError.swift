internal import Documents

/// A UAF message that does not have the form of the FIDO UAF Protocol Specification.
///
/// A client ends the operation with `code`; a server returns `UAFStatusCode.unacceptableContent`.
public struct UAFMessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error, as a client reports it.
  public let code: UAFErrorCode
  /// The place in the message, such as `$[0].policy.accepted[0][1].aaid`.
  public let path: String
  /// The value found and the limit. It contains no key, challenge or user name.
  public let reason: String

  /// Creates an error.
  ///
  /// - Parameter code: `unsupportedVersion`, or `protocolError` for everything else.
  public init(_ path: String, _ reason: String, _ code: UAFErrorCode = .protocolError) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  /// Creates the protocol error of a message that cannot be read. The reason has the further problems, too.
  init(_ error: DocumentError) {
    let further = error.problems.dropFirst().map { "; \($0.path): \($0.reason)" }
    self.init(error.problems[0].path, error.problems[0].reason + further.joined())
  }

  /// The place and the reason.
  public var description: String { "\(path): \(reason)" }
}
