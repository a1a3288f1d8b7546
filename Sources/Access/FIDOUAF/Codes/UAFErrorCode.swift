/// What an authenticator command returns (FIDO UAF Authenticator Commands 1.1, section 4.2).
public enum AuthenticatorStatus: UInt16, Hashable, Sendable, CaseIterable {
  /// Success.
  case ok = 0x00
  /// An unknown error.
  case unknownError = 0x01
  /// The user was not verified, or the key handle is not accessible.
  case accessDenied = 0x02
  /// The user is not enrolled.
  case userNotEnrolled = 0x03
  /// The transaction cannot be shown.
  case cannotRenderTransactionContent = 0x04
  /// The user cancelled.
  case userCancelled = 0x05
  /// The command is not implemented.
  case commandNotSupported = 0x06
  /// The attestation is not implemented.
  case attestationNotSupported = 0x07
  /// A parameter is invalid.
  case parametersInvalid = 0x08
  /// The key does not exist any more.
  case keyDisappearedPermanently = 0x09
  /// The time is up.
  case timeout = 0x0A
  /// The user did not react.
  case userNotResponsive = 0x0E
  /// The authenticator lacks resources.
  case insufficientResources = 0x0F
  /// Too many failures of the user.
  case userLockout = 0x10

  /// Reads a number of an authenticator. One without a meaning is an unknown error.
  public init(number: UInt16) { self = AuthenticatorStatus(rawValue: number) ?? .unknownError }
}

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

  /// The status for the result of a command.
  ///
  /// - Parameter isRegistration: Whether the command is Register: only there, "not enrolled" has a status of its own.
  public init(_ status: AuthenticatorStatus, isRegistration: Bool) {
    self =
      switch status {
      case .ok: .ok
      case .unknownError, .commandNotSupported, .attestationNotSupported, .parametersInvalid, .timeout: .error
      case .accessDenied: .accessDenied
      case .userNotEnrolled: isRegistration ? .userNotEnrolled : .accessDenied
      case .cannotRenderTransactionContent: .cannotRenderTransactionContent
      case .userCancelled: .userCancelled
      case .keyDisappearedPermanently: .keyDisappearedPermanently
      case .userNotResponsive: .userNotResponsive
      case .insufficientResources: .insufficientResources
      case .userLockout: .userLockout
      }
  }
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
