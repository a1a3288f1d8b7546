/// A UAF message that does not have the form of the FIDO UAF Protocol Specification, or a body of the HTTP interface around it
/// with a member of the wrong form.
///
/// A client ends the operation with `code`; a server returns `UAFStatusCode.unacceptableContent` or `badRequest`.
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

  /// The place and the reason.
  public var description: String { "\(path): \(reason)" }
}
