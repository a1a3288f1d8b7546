public import FIDOUAF

extension UAFErrorCode {
  /// The name of the code, as the Nevis Mobile Authentication SDK spells it.
  public var name: String {
    switch self {
    case .noError: "NO_ERROR"
    case .waitUserAction: "WAIT_USER_ACTION"
    case .insecureTransport: "INSECURE_TRANSPORT"
    case .userCancelled: "USER_CANCELED"
    case .unsupportedVersion: "UNSUPPORTED_VERSION"
    case .noSuitableAuthenticator: "NO_SUITABLE_AUTHENTICATOR"
    case .protocolError: "PROTOCOL_ERROR"
    case .untrustedFacetID: "UNTRUSTED_FACET_ID"
    case .keyDisappearedPermanently: "KEY_DISAPPEARED_PERMANENTLY"
    case .authenticatorAccessDenied: "AUTHENTICATOR_ACCESS_DENIED"
    case .invalidTransactionContent: "INVALID_TRANSACTION_CONTENT"
    case .userNotResponsive: "USER_NOT_RESPONSIVE"
    case .insufficientAuthenticatorResources: "INSUFFICIENT_AUTHENTICATOR_RESOURCES"
    case .userLockout: "USER_LOCKOUT"
    case .userNotEnrolled: "USER_NOT_ENROLLED"
    case .unknown: "UNKNOWN"
    }
  }
}
