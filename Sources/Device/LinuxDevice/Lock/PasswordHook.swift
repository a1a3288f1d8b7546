package import DeviceAuthentication

/// The hook that PAM runs before and after it changes a password: it adds the state before the change and the state after
/// it to the record of the user.
///
/// With it a device that did not run tells a change from a removal. Without it, after a change that bypasses PAM, and for a
/// change that was announced and not completed, the device counts a removal.
package struct PasswordHook: Sendable {
  /// When PAM runs the hook.
  package enum Moment: Sendable {
    /// Before pam_unix.
    case beforeChange
    /// After pam_unix has changed the password.
    case afterChange
  }

  private let shadow: String
  private let directory: String

  /// - Parameters:
  ///   - shadow: The path of the shadow file.
  ///   - directory: The directory of the device's state, which has one directory for each served user.
  package init(shadow: String = "/etc/shadow", directory: String) {
    self.shadow = shadow
    self.directory = directory
  }

  /// Announces the change of a user's passcode, or completes it; does nothing for a user without a device.
  ///
  /// - Parameter program: The program that changes the password. Only the one that has announced a change completes it.
  /// - Throws: `.busy` or `.unavailable` when the shadow file cannot be read or the record cannot be written.
  package func run(
    user: String, _ moment: Moment, of program: HookedProgram = .parent
  ) throws(DeviceAuthenticationError) {
    guard let name = ServedUser.directoryName(user) else { return }
    let directory = LockDirectory(path: "\(directory)/\(name)")
    guard directory.isPresent else { return }
    let state = try ShadowFile.state(of: user, in: shadow)
    try directory.update { record in
      guard var record else { return nil }
      switch moment {
      case .beforeChange: record.announce(state, by: program)
      case .afterChange: record.complete(state, by: program)
      }
      return record
    }
  }
}

extension LockRecord {
  fileprivate mutating func announce(_ state: PasscodeState, by program: HookedProgram) {
    announced = AnnouncedChange(program: program, before: state)
    // The next announcement replaces this one, and a removal must not be lost.
    if known.isSet, !state.isSet { add(PasscodeChange(before: state, after: state)) }
  }

  fileprivate mutating func complete(_ state: PasscodeState, by program: HookedProgram) {
    guard let announced, announced.program == program else { return }
    self.announced = nil
    if announced.before != state { add(PasscodeChange(before: announced.before, after: state)) }
  }
}

/// The name of a user as the name of a directory.
package enum ServedUser {
  /// Returns the name; nil when it is not one part of a path: useradd(8) creates no such user.
  package static func directoryName(_ user: String) -> String? {
    guard (1...64).contains(user.utf8.count), !user.hasPrefix("."), !user.utf8.contains(0), !user.contains("/") else {
      return nil
    }
    return user
  }
}
