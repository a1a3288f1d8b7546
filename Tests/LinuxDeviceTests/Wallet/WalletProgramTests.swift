import DeviceAuthentication
import Foundation
import TestSupport
import Testing

/// A wallet of `tap` on the device of a Linux machine: every command is a process of its own, of a user without privileges.
/// `tap-device` is run by root.
@Suite("A wallet on the device of this machine", .timeLimit(.minutes(60)), .blocks)
struct WalletProgramTests {
  private let device: LinuxScenarioDevice

  init() throws {
    device = try LinuxScenarioDevice(changesWhileStopped: false)
  }

  private var programs: UserPrograms { UserPrograms(linux: device) }

  private func check(_ socket: String) throws -> TapRun { try programs.tap(["device", "check", "--socket", socket]) }

  /// Runs a command on the wallet.
  private func wallet(_ arguments: String...) throws -> TapRun {
    try programs.tap(arguments + ["--wallet", programs.folder + "/wallet", "--device", programs.device])
  }

  private func pay() throws -> TapRun { try wallet("present", "--link", "loopback", "--format", "json") }

  private func setUp(_ policy: String, _ changes: DeviceChange...) async throws {
    try await device.setUser(.approve)
    for change in changes { try await device.apply(change) }
    let enrolled = try wallet("device", "enrol", "--policy", policy)
    #expect(enrolled.code == 0, "\(enrolled.output)")
    let added = try wallet("wallet", "add", "--card", programs.card)
    #expect(added.code == 0, "\(added.output)")
  }

  @Test func `a wallet pays by a finger, keeps its cards without fingers, and loses them with the lock`() async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let check = try self.check(device.program.socket)
    #expect(check.code == 0, "\(check.output)")
    let first = try pay()
    #expect(first.code == 0, "\(first.errors)")
    #expect(first.json["event"] == "transactionCompleted" && first.json["amount"] == "12.34", "\(first.output)")

    try await device.apply(.removeAllBiometrics)
    let refused = try pay()
    #expect(refused.code == 2 && refused.errorCode == "biometricNotEnrolled", "\(refused.output)")
    try await device.apply(.enrolBiometric)
    #expect(try pay().code == 0)
    #expect(try wallet("present", "--link", "loopback", "--policy", "userPresence").code == 1)

    try await device.apply(.disableLockScreen)
    try await device.apply(.setPasscode)
    let wiped = try pay()
    #expect(wiped.code == 2 && wiped.errorCode == "authenticationKeyInvalidated", "\(wiped.output)")
    #expect(try wallet("wallet", "list").errors.contains("all cards were removed"))
  }

  enum Loss: CaseIterable { case lock, key, device }

  @Test(arguments: Loss.allCases)
  func `an armed card leaves its reader when the lock, the key or the device is gone`(_ loss: Loss) async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let pcscd = try IsolatedPCSCD()
    let terminal = try PseudoTerminal()
    let present = try device.program.machine.start(
      PrivateMachine.shared(DeviceProgram.folder.appending(path: "tap").path),
      [
        "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--wallet", programs.folder + "/wallet", "--device",
        programs.device, "--format", "json", "--timeout", "3600",
      ], as: PrivateMachine.user, on: terminal)
    #expect(present.wait(timeout: .seconds(3600)) { $0.errors.contains("Waiting for a terminal") }, "\(present.errors)")
    switch loss {
    case .lock: try await device.apply(.disableLockScreen)
    case .key: try device.program.machine.shell("rm \(device.program.state)/$1/keys/*.key")
    case .device: device.program.kill()
    }
    let ended = try TapRun(present)
    let code = loss == .device ? "unavailable" : "authenticationKeyInvalidated"
    #expect(ended.errorCode == code, "\(ended.output)\(ended.errors)")
    #expect(ended.code == (loss == .device ? 1 : 2))
    if loss == .device { try device.program.start() }
    let list = try wallet("wallet", "list", "--format", "json")
    #expect(list.output.contains("paymentsLeft") == (loss == .device), "\(list.output)\(list.errors)")
  }

  @Test func `a wallet whose machine has another TPM is unavailable, and pays again with its own`() async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let own = device.program.tpm
    device.program.tpm = try SoftwareTPM()
    try device.program.restart()
    let moved = try pay()
    #expect(moved.code != 0 && "\(moved.output)\(moved.errors)".contains("in another TPM"), "\(moved.output)")
    device.program.tpm = own
    try device.program.restart()
    let paid = try pay()
    #expect(paid.code == 0, "\(paid.output)\(paid.errors)")
  }

  @Test func `a wallet that gets no counter is refused, and is set up without one on request only`() async throws {
    for change in [DeviceChange.setPasscode, .enrolBiometric] { try await device.apply(change) }
    let keys = device.program.ports.keys
    for _ in 0..<16 { _ = try await keys.create(.sealing, counting: true) }
    let refused = try wallet("device", "enrol", "--policy", "biometricOnly")
    #expect(refused.code == 1 && refused.errors.contains("--without-rollback-protection"), "\(refused.errors)")
    let bound = try wallet("device", "enrol", "--policy", "biometricOnly", "--without-rollback-protection")
    #expect(bound.code == 0, "\(bound.errors)")
    #expect(try wallet("wallet", "status").output.contains("rollback protection: none"))
    let status = try wallet("wallet", "status", "--format", "json")
    #expect(status.json["rollbackProtection"] == "0", "\(status.output)")

    let socket = ["--socket", device.program.socket]
    let listed = try programs.tap(["device", "keys", "list"] + socket).output.split(separator: "\n")
    #expect(listed.count == 17 && listed.count { $0.hasSuffix(", with a counter") } == 16, "\(listed)")
    let left = try #require(listed.first { $0.hasSuffix(", with a counter") }?.split(separator: ":").first)
    #expect(try programs.tap(["device", "keys", "delete", String(left)] + socket).code == 0)
    #expect(try programs.tap(["device", "keys", "delete", String(left)] + socket).code == 1)
    #expect(try wallet("wallet", "reset").code == 0)
    #expect(try wallet("device", "enrol", "--policy", "biometricOnly").code == 0)
    #expect(try wallet("wallet", "status").output.contains("rollback protection: a counter of the device"))
  }

  @Test func `at the limit of the keys the check names the commands that delete keys`() async throws {
    for change in [DeviceChange.setPasscode, .enrolBiometric] { try await device.apply(change) }
    _ = try await device.program.ports.keys.create(.sealing)
    // Further keys are copies of its file: the limit counts files.
    try device.program.machine.shell(
      """
      set -- \(device.program.state)/$1/keys/*.key
      for number in $(seq 255); do cp -p "$1" "$(dirname "$1")/$(printf %032x.key "$number")"; done
      """)
    let full = try check(device.program.socket)
    #expect(
      full.code == 1 && full.output.contains("keys: missing: a further key is refused at 256 keys"), "\(full.output)")
    #expect(full.output.contains("tap device keys delete") && !full.output.contains("TPM 2.0"), "\(full.output)")
  }

  @Test func `a machine without fingers and without a lock is refused with the reason`() async throws {
    let enrolled = try wallet("device", "enrol", "--policy", "biometricOnly")
    #expect(enrolled.code == 1 && enrolled.errors.contains("no biometrics are enrolled"), "\(enrolled.errors)")
    let check = try self.check(device.program.socket)
    #expect(check.code == 1 && check.output.contains("remedy"), "\(check.output)")
    let absent = try self.check("/home/absent")
    #expect(absent.code == 1 && absent.output.contains("tap-device"), "\(absent.output)")
  }

  @Test func `the programs of the wallet have no privileges, and cannot read the state of tap-device`() throws {
    #expect(try programs.run("/usr/bin/id", ["-u"]).output != "0\n")
    let status = try programs.run("/bin/cat", ["/proc/self/status"]).output
    for set in ["CapEff", "CapPrm", "CapBnd"] { #expect(status.contains("\(set):\t0000000000000000"), "\(status)") }
    #expect(try programs.run("/bin/ls", [device.program.state]).code != 0)
    #expect(try programs.run("/bin/cat", ["/etc/shadow"]).code != 0)
  }

  @Test func `a program of another user is refused at the socket`() async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let stranger = UserPrograms(linux: device, user: PrivateMachine.stranger)
    let command = ["device", "enrol", "--wallet", stranger.folder + "/wallet", "--device", stranger.device]
    let closed = try stranger.tap(command)
    #expect(closed.code == 1)
    let reason = "not available: \(device.program.socket) belongs to another user"
    #expect(closed.errors.contains(reason), "\(closed.errors)")
    // A socket that every user can open still serves its own user only.
    #expect(chmod(device.program.socket, 0o666) == 0)
    let refused = try stranger.tap(command)
    #expect(refused.code == 1)
    #expect(refused.errors.contains("not available: this device serves user"), "\(refused.errors)")
    #expect(try pay().code == 0)
  }

  @Test func `a passcode that PAM has locked ends the payment with lockedOut and the remedy`() async throws {
    try await setUp("userPresence", .setPasscode)
    let faillock = "pam_faillock.so dir=\(device.program.machine.scratch.path("faillock")) deny=2 unlock_time=600"
    try device.program.machine.writeService(
      """
      auth requisite \(faillock) preauth
      auth sufficient pam_unix.so nodelay
      auth [default=die] \(faillock) authfail
      account required pam_unix.so

      """)
    device.person.learn("wrong")
    let failed = try pay()
    #expect(failed.code == 2 && failed.errorCode == "lockedOut", "\(failed.output)\(failed.errors)")
    #expect(failed.json["message"]?.contains("the passcode is locked; wait until the device unlocks it") == true)
    device.person.learn("1234")
    let locked = try pay()
    #expect(locked.code == 2 && locked.errorCode == "lockedOut", "\(locked.output)\(locked.errors)")
    // The terminal shows for how long.
    #expect(locked.terminal.contains("minutes left to unlock"), "\(locked.terminal)")
    try FileManager.default.removeItem(atPath: device.program.machine.scratch.path("faillock"))
    #expect(try pay().code == 0)
  }
}
