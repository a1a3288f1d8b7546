import Foundation
import Glibc
import TestSupport

/// A mount namespace with a copy of /etc, in which tests add users and change passwords. The machine outside keeps its
/// users. The programs of this build are in /home, where every user can start them.
final class PrivateMachine: Sendable {
  /// The user of the device, without a password at first.
  static let user = "cardholder"
  /// A user without a device.
  static let stranger = "stranger"

  /// The path in the namespace of a file below the folder of this build.
  static func shared(_ path: String) -> String {
    path.replacingOccurrences(of: DeviceProgram.folder.path, with: "/home/programs")
  }

  let scratch: Scratch
  private let holder: ProgramRun

  init() throws {
    scratch = try Scratch()
    let script = """
      set -e
      cp -a /etc "$1/etc"
      mount --bind "$1/etc" /etc
      mkdir "$1/programs"
      mount --bind "$2" "$1/programs"
      mount -t tmpfs -o mode=755 tmpfs /home
      mkdir /home/programs
      mount --bind "$1/programs" /home/programs
      mount -t tmpfs tmpfs /var/log
      for user in \(Self.user) \(Self.stranger); do
        useradd -M -s /bin/sh $user
        passwd -q -d $user
        install -d -m 700 -o $user -g $user /home/$user
      done
      echo ready
      exec sleep infinity
      """
    let isRoot = geteuid() == 0
    do {
      holder = try ProgramRun(
        "unshare",
        (isRoot ? [] : ["--map-root-user", "--map-auto"])
          + [
            "--mount", "--propagation", "private", "sh", "-c", script, "sh", scratch.directory.path,
            DeviceProgram.folder.path,
          ])
    } catch {
      throw MissingComponent(description: "\(error). Run tools/setup --tests")
    }
    guard holder.wait(timeout: .seconds(3600), until: { $0.output.contains("ready") }) else {
      throw MissingComponent(
        description: """
          these tests need a mount namespace with a copy of /etc: run them as root, in a container with \
          CAP_SYS_ADMIN, or with uidmap installed and user namespaces allowed: \(holder.errors)
          """)
    }
  }

  deinit {
    holder.signal(SIGKILL)
    _ = holder.wait(timeout: .seconds(60))
  }

  /// Starts a program in the namespace.
  ///
  /// - Parameter input: The descriptor of this process that is the program's standard input; nil for an empty one.
  func start(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil
  ) throws -> ProgramRun {
    let userNamespace = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
    return try ProgramRun(
      "nsenter", ["--target", "\(holder.identifier)", "--mount"] + userNamespace + ["--", program] + arguments,
      environment: environment, descriptors: input.map { [0: $0] } ?? [:])
  }

  /// Starts a program as a user without privileges, in a session of its own at a terminal.
  func start(_ program: String, _ arguments: [String], as user: String, on terminal: PseudoTerminal) throws
    -> ProgramRun
  {
    let input = try terminal.opened()
    defer { close(input) }
    return try start(
      "setsid",
      [
        "--ctty", "--wait", "setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all",
        "--bounding-set=-all", "--no-new-privs", program,
      ] + arguments, environment: ["HOME": "/home/\(user)", "TMPDIR": "/tmp"], input: input)
  }

  /// Runs a script of the shell in the namespace, with the user's name as `$1`.
  @discardableResult
  func shell(_ script: String) throws -> String {
    let run = try start("sh", ["-c", script, "sh", Self.user])
    guard try run.finish() == .exited(0) else { throw MissingComponent(description: "\(script): \(run.errors)") }
    return run.output
  }

  /// Sets or changes the password through PAM.
  func setPassword(_ password: String) throws { try shell("echo \"$1:\(password)\" | chpasswd") }

  /// Removes the password, without PAM.
  func removePassword() throws { try shell("passwd -q -d \"$1\"") }

  /// Puts the password hook around pam_unix.
  ///
  /// - Parameter isOld: Whether the line after pam_unix is missing, as the former version described it.
  func installHook(program: String, state: String, isOld: Bool = false) throws {
    let line = "password optional pam_exec.so seteuid quiet \(program) password-hook --state \(state)"
    try shell("sed -i '/^# here are the per-package modules/i \(line)' /etc/pam.d/common-password")
    if !isOld { try shell("echo '\(line) --after' >> /etc/pam.d/common-password") }
  }

  /// Begins a change of the password and enters two different ones, so that PAM runs the hook and changes nothing.
  func abortChange() throws { try shell("printf 'first\\nother\\n' | passwd \"$1\" 2> /dev/null && exit 1; exit 0") }

  /// Replaces the hash without PAM, as a program does that starts another system.
  func replaceHash(_ password: String) throws { try shell("echo \"$1:\(password)\" | chpasswd -c SHA512") }

  /// Writes a file of PAM's services.
  func writeService(_ text: String, named name: String = "tap-device") throws {
    let path = scratch.path("etc/pam.d/\(name)")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
}
