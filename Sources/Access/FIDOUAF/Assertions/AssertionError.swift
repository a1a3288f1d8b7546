/// An assertion that a server must not accept.
public struct AssertionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which rule the assertion breaks.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// Tags, lengths or fixed sizes are wrong, or an element is missing or present twice.
    case malformed
    /// A critical tag or extension is unknown.
    case unknownCritical
    /// The scheme is not UAFV1TLV.
    case scheme
    /// The AAID has no metadata or the policy does not accept it.
    case unacceptableAuthenticator
    /// The hash is not the hash of the final challenge parameters.
    case challengeHash
    /// The authentication mode does not fit the operation.
    case mode
    /// The algorithms differ from the metadata, or are not implemented.
    case algorithm
    /// The public key is not valid.
    case publicKey
    /// The attestation is missing, of a type that must not be used, or its signature is wrong.
    case attestation
    /// The key is not registered.
    case unknownKey
    /// The signature is wrong.
    case signature
    /// The counter did not increase.
    case counter
    /// The confirmed transaction is not one of those that the server offered.
    case transaction
  }

  /// Which rule the assertion breaks.
  public let code: Code
  /// A sentence with the value and the limit.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, _ reason: String) {
    (self.code, self.reason) = (code, reason)
  }

  /// The reason.
  public var description: String { reason }
}
