/// What an authenticator-specific module returns (FIDO UAF Authenticator-Specific Module API 1.1, section 3.4).
public enum ASMStatus: UInt16, Hashable, Sendable, CaseIterable {
  /// Success.
  case ok = 0x00
  /// An unknown error.
  case error = 0x01
  /// The user was not verified, or the key handle is not accessible.
  case accessDenied = 0x02
  /// The user cancelled.
  case userCancelled = 0x03
  /// The transaction cannot be shown.
  case cannotRenderTransactionContent = 0x04
  /// The key does not exist any more.
  case keyDisappearedPermanently = 0x09
  /// The authenticator is not connected.
  case authenticatorDisconnected = 0x0B
  /// The user did not react.
  case userNotResponsive = 0x0E
  /// The authenticator lacks resources.
  case insufficientResources = 0x0F
  /// Too many failures of the user.
  case userLockout = 0x10
  /// The user is not enrolled.
  case userNotEnrolled = 0x11
}

/// How a client ends an operation (FIDO UAF Application API and Transport Binding 1.1, section 3.3).
public enum UAFErrorCode: UInt16, Error, Hashable, Sendable, CaseIterable {
  /// Success.
  case noError = 0x00
  /// The user must act first.
  case waitUserAction = 0x01
  /// The transport is not secure.
  case insecureTransport = 0x02
  /// The user cancelled.
  case userCancelled = 0x03
  /// The version of the protocol is not implemented.
  case unsupportedVersion = 0x04
  /// No authenticator matches the policy.
  case noSuitableAuthenticator = 0x05
  /// The message violates the protocol.
  case protocolError = 0x06
  /// The facet is not trusted by the application.
  case untrustedFacetID = 0x07
  /// The key does not exist any more.
  case keyDisappearedPermanently = 0x09
  /// The authenticator denied access.
  case authenticatorAccessDenied = 0x0C
  /// The transaction cannot be shown.
  case invalidTransactionContent = 0x0D
  /// The user did not react.
  case userNotResponsive = 0x0E
  /// The authenticator lacks resources.
  case insufficientAuthenticatorResources = 0x0F
  /// Too many failures of the user.
  case userLockout = 0x10
  /// The user is not enrolled.
  case userNotEnrolled = 0x11
  /// An unknown error.
  case unknown = 0xFF

  /// The code for the status of an authenticator-specific module.
  public init(_ status: ASMStatus) {
    self =
      switch status {
      case .ok: .noError
      case .error: .unknown
      case .accessDenied: .authenticatorAccessDenied
      case .userCancelled: .userCancelled
      case .cannotRenderTransactionContent: .invalidTransactionContent
      case .keyDisappearedPermanently: .keyDisappearedPermanently
      case .authenticatorDisconnected: .noSuitableAuthenticator
      case .userNotResponsive: .userNotResponsive
      case .insufficientResources: .insufficientAuthenticatorResources
      case .userLockout: .userLockout
      case .userNotEnrolled: .userNotEnrolled
      }
  }
}
