import ArgumentParser
import DeviceAuthentication
import Foundation
import LinuxDevice
import ProgramSupport

/// Records the state of the passcode before PAM changes it, and after it has.
struct PasswordHookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password-hook", abstract: "Record a change of a passcode, before PAM makes it and after it has.",
    help: CommandHelp(
      """
      pam_exec runs it, with the name of the user in PAM_USER. Put these lines into \
      /etc/pam.d/common-password, the first before the lines of its modules, the second at the end of the \
      file: password optional pam_exec.so seteuid quiet /usr/local/bin/tap-device password-hook and password \
      optional pam_exec.so seteuid quiet /usr/local/bin/tap-device password-hook --after.
      """,
      examples: [
        "tap-device password-hook --after": "Record that PAM has changed a passcode; pam_exec runs this."
      ],
      exits: [
        .done: "recorded, or a user without a device",
        .error: "not recorded",
      ],
      environment: [.init("PAM_USER", "the name of the user; pam_exec sets it")]))

  @Flag(help: "The line is after pam_unix: complete the change that the line before it has announced.")
  var after = false
  @OptionGroup var options: DeviceOptions

  func run() throws {
    guard let user = ProcessInfo.processInfo.environment["PAM_USER"] else {
      throw Failure("PAM_USER is not set: pam_exec runs this command")
    }
    do throws(DeviceAuthenticationError) {
      try PasswordHook(shadow: options.shadow, directory: options.state).run(
        user: user, after ? .afterChange : .beforeChange)
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
