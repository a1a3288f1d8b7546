/// Where PAM finds the service that checks the passcode, and whose passcode it is.
public struct PasscodeSettings: Sendable {
  /// The name of the service: a file in `directory`.
  public let service: String
  /// The directory of service files.
  public let directory: String
  /// The name of the user.
  public let user: String

  /// Describes a service.
  public init(user: String, service: String = "tap-device", directory: String = "/etc/pam.d") {
    self.user = user
    self.service = service
    self.directory = directory
  }

  /// A service file that fits every Debian system. It has no `nullok`, so an empty entry never matches.
  public static let serviceFile = """
    # The passcode of the user, for tap-device.
    auth     required  pam_unix.so
    account  required  pam_unix.so

    """
}
