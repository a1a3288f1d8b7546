public import DeviceAuthentication

/// The hook that PAM runs before it changes a password: it adds the state before the change to the journal of the user.
///
/// With it a device that did not run tells a change from a removal. Without it, and after a change that bypasses PAM,
/// the device counts a removal.
public struct PasswordHook: Sendable {
  private let shadow: String
  private let directory: String

  /// - Parameters:
  ///   - shadow: The path of the shadow file.
  ///   - directory: The directory of the device's state, which has one directory for each served user.
  public init(shadow: String = "/etc/shadow", directory: String) {
    self.shadow = shadow
    self.directory = directory
  }

  /// Adds the present state to the journal of a user; does nothing for a user without a device.
  ///
  /// - Throws: `.unavailable` when the shadow file cannot be read or the journal cannot be written.
  public func run(user: String) throws(DeviceAuthenticationError) {
    guard let name = ServedUser.directoryName(user) else { return }
    let directory = LockDirectory(path: "\(directory)/\(name)")
    guard directory.isPresent else { return }
    try directory.append(try ShadowFile.state(of: user, in: shadow))
  }
}

/// The name of a user as the name of a directory.
public enum ServedUser {
  /// Returns the name; nil when it is not one part of a path: useradd(8) creates no such user.
  public static func directoryName(_ user: String) -> String? {
    guard (1...64).contains(user.utf8.count), !user.hasPrefix("."), !user.utf8.contains(0), !user.contains("/") else {
      return nil
    }
    return user
  }
}
