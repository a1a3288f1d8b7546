/// Where PAM finds the service that checks the passcode, and whose passcode it is.
package struct PasscodeSettings: Sendable {
  /// The name of the service: a file in `directory`.
  package let service = "tap-device"
  /// The directory of service files.
  package let directory: String
  /// The name of the user.
  package let user: String

  /// A service file that fits every Debian system. It has no `nullok`, so an empty entry never matches.
  package static let serviceFile = """
    # The passcode of the user, for tap-device.
    auth     required  pam_unix.so
    account  required  pam_unix.so

    """
}
