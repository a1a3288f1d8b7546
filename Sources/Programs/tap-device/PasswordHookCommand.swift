import ArgumentParser
import DeviceAuthentication
import Foundation
import LinuxDevice

/// Journals the state of the passcode before PAM changes it.
struct PasswordHookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password-hook", abstract: "Journal the state of a passcode before PAM changes it.",
    discussion: """
      pam_exec runs it, with the name of the user in PAM_USER. Put this line before that of pam_unix in \
      /etc/pam.d/common-password: \
      password optional pam_exec.so seteuid quiet /usr/local/bin/tap-device password-hook. \
      Exit codes: 0 journaled, or a user without a device; 1 not journaled.
      """)

  @OptionGroup var options: DeviceOptions

  func run() throws {
    guard let user = ProcessInfo.processInfo.environment["PAM_USER"] else {
      throw Failure("PAM_USER is not set: pam_exec runs this command")
    }
    do throws(DeviceAuthenticationError) {
      try PasswordHook(shadow: options.shadow, directory: options.state).run(user: user)
    } catch {
      throw Failure("\(error)")
    }
  }
}

/// An error with a sentence.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
