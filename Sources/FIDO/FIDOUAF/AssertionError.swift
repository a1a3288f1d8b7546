/// An assertion that a server must not accept.
public struct AssertionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status code for the response to the assertion.
  public let code: UAFStatusCode
  /// A sentence with the value and the limit.
  public let reason: String

  /// Creates an error.
  public init(_ code: UAFStatusCode, _ reason: String) {
    (self.code, self.reason) = (code, reason)
  }

  /// The reason.
  public var description: String { reason }
}
