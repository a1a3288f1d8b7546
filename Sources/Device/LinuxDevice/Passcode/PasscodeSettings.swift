/// Where PAM finds the service that checks the passcode, and whose passcode it is.
public struct PasscodeSettings: Sendable {
  /// The name of the service: a file in `directory`.
  public let service = "tap-device"
  /// The directory of service files.
  public let directory: String
  /// The name of the user.
  public let user: String

  /// A service file that fits every Debian system. It has no `nullok`, so an empty entry never matches.
  public static let serviceFile = """
    # The passcode of the user, for tap-device.
    auth     required  pam_unix.so
    account  required  pam_unix.so

    """
}
