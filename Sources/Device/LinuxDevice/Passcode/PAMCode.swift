package import DeviceAuthentication

/// A return code of PAM (pam(3)), and what it says about a passcode.
package struct PAMCode: RawRepresentable, Hashable, Sendable {
  /// The number in `_pam_types.h`.
  package let rawValue: Int32

  /// Creates a code, also an unknown one.
  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// PAM_SUCCESS.
  package static let success = PAMCode(rawValue: 0)
  /// PAM_PERM_DENIED: the stack forbids the user, or no module of it has decided, as after a failure that pam_faillock
  /// has counted.
  package static let permissionDenied = PAMCode(rawValue: 6)
  /// PAM_AUTH_ERR: the passcode is wrong, or a module refused before it was asked for.
  package static let authenticationFailed = PAMCode(rawValue: 7)
  /// PAM_USER_UNKNOWN.
  package static let userUnknown = PAMCode(rawValue: 10)
  /// PAM_MAXTRIES: no further attempt is allowed.
  package static let attemptsExhausted = PAMCode(rawValue: 11)
  /// PAM_NEW_AUTHTOK_REQD: the passcode is right and has expired.
  package static let passcodeExpired = PAMCode(rawValue: 12)
  /// PAM_ACCT_EXPIRED.
  package static let accountExpired = PAMCode(rawValue: 13)

  /// The result of a prompt.
  ///
  /// - Parameters:
  ///   - wasAsked: Whether the person has answered a prompt. A stack that refuses before it asks, as pam_faillock does,
  ///     has locked the passcode.
  ///   - text: PAM's text for the code.
  /// - Throws: `.unavailable` for a fault of the set-up.
  package func result(wasAsked: Bool, text: String) throws(DeviceAuthenticationError) -> PasscodeResult {
    switch self {
    case .success, .passcodeExpired: return .matched
    case .authenticationFailed, .permissionDenied: return wasAsked ? .notMatched : .lockedOut
    case .attemptsExhausted, .accountExpired: return .lockedOut
    case .userUnknown: throw .unavailable(reason: "PAM does not find the user of this device")
    default: throw .unavailable(reason: "PAM cannot check the passcode: \(text) (code \(rawValue))")
    }
  }
}
