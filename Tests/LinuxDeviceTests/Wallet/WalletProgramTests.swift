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
    #expect(try wallet("present", "--link", "loopback", "--policy", "userPresence").code == 2)

    try await device.apply(.disableLockScreen)
    try await device.apply(.setPasscode)
    let wiped = try pay()
    #expect(wiped.code == 2 && wiped.errorCode == "authenticationKeyInvalidated", "\(wiped.output)")
    #expect(try wallet("wallet", "list").errors.contains("all cards were removed"))
  }

  enum Loss: String, CaseIterable {
    case lock, key, biometrics, device, stoppedDevice, killedTPM, stoppedTPM, shadow

    var code: String {
      switch self {
      case .lock, .key: "authenticationKeyInvalidated"
      case .biometrics: "biometricNotEnrolled"
      case .device, .stoppedDevice, .killedTPM, .stoppedTPM, .shadow: "unavailable"
      }
    }

    func make(on device: LinuxScenarioDevice) async throws {
      let program = device.program
      switch self {
      case .lock: try await device.apply(.disableLockScreen)
      case .key: try program.machine.shell("rm \(program.state)/$1/keys/*.key")
      case .biometrics: try await device.apply(.removeAllBiometrics)
      case .device: program.kill()
      case .stoppedDevice: program.signal(SIGSTOP)
      case .killedTPM: program.tpm.kill()
      case .stoppedTPM: program.tpm.stop()
      case .shadow: try program.machine.shell("mv /etc/shadow /etc/aside")
      }
    }

    /// Brings back what can be read again.
    func undo(on device: LinuxScenarioDevice) throws {
      let program = device.program
      switch self {
      case .lock, .key, .biometrics: break
      case .device: try program.start()
      case .stoppedDevice: program.signal(SIGCONT)
      case .killedTPM: try program.tpm.restart()
      case .stoppedTPM: program.tpm.resume()
      case .shadow: try program.machine.shell("mv /etc/aside /etc/shadow")
      }
    }
  }

  @Test(arguments: Loss.allCases)
  func `an armed card leaves its reader when a part of its device is lost or cannot be read`(_ loss: Loss) async throws
  {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let pcscd = try IsolatedPCSCD()
    let terminal = try PseudoTerminal()
    let present = try present(on: pcscd, at: terminal)
    #expect(present.wait(timeout: .seconds(3600)) { $0.errors.contains("Waiting for a terminal") }, "\(present.errors)")
    try await loss.make(on: device)
    let ended = try TapRun(present)
    try loss.undo(on: device)
    #expect(ended.errorCode == loss.code, "\(ended.output)\(ended.errors)")
    #expect(ended.code == (loss.code == "unavailable" ? 1 : 2))
    let list = try wallet("wallet", "list", "--format", "json")
    let isWiped = loss.code == "authenticationKeyInvalidated"
    #expect(list.output.contains("paymentsLeft") == !isWiped, "\(list.output)\(list.errors)")
  }

  private func present(on pcscd: IsolatedPCSCD, at terminal: PseudoTerminal) throws -> ProgramRun {
    try device.program.machine.start(
      PrivateMachine.shared(DeviceProgram.folder.appending(path: "tap").path),
      [
        "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--wallet", programs.folder + "/wallet", "--device",
        programs.device, "--format", "json", "--timeout", "3600",
      ], as: PrivateMachine.user, on: terminal)
  }

  @Test func `an armed card stays on its reader while fprintd is gone and while the passcode and the fingers change`()
    async throws
  {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let pcscd = try IsolatedPCSCD()
    let terminal = try PseudoTerminal()
    let present = try present(on: pcscd, at: terminal)
    #expect(present.wait(timeout: .seconds(3600)) { $0.errors.contains("Waiting for a terminal") }, "\(present.errors)")
    for change in [DeviceChange.changePasscode, .enrolBiometric] { try await device.apply(change) }
    device.stage.killService()
    // Longer than a device may fail to be read.
    #expect(!present.wait(timeout: .seconds(3)) { $0.poll() != nil }, "\(present.output)\(present.errors)")
    present.signal(SIGINT)
    _ = try TapRun(present)
  }

  @Test func `a finger whose print was removed while the prompt was open arms no card`() async throws {
    try await setUp("biometricOnly", .setPasscode, .enrolBiometric)
    let (pcscd, terminal) = (try IsolatedPCSCD(), try PseudoTerminal())
    var present: ProgramRun?
    try device.person.pausing {
      present = try self.present(on: pcscd, at: terminal)
      device.stage.awaitPrompt()
      try FileManager.default.removeItem(atPath: device.stage.prints + "/" + FingerprintStage.user)
    }
    let ended = try TapRun(try #require(present))
    #expect(ended.code == 2 && ended.errorCode == "biometricNotEnrolled", "\(ended.output)\(ended.errors)")
    #expect(try wallet("wallet", "list", "--format", "json").output.contains("paymentsLeft"))
  }

  @Test func `a passcode that was replaced while the machine was off wipes the wallet, also after an aborted passwd`()
    async throws
  {
    try await setUp("userPresence", .setPasscode)
    device.program.end(SIGTERM)
    try device.program.machine.abortChange()
    try device.program.machine.replaceHash("thief")
    try device.program.start()
    device.person.learn("thief")
    let refused = try pay()
    #expect(
      refused.code == 2 && refused.errorCode == "authenticationKeyInvalidated", "\(refused.output)\(refused.errors)")
    #expect(try wallet("wallet", "list").errors.contains("all cards were removed"))
  }

  @Test func `the check names a password hook before pam_unix alone, with the remedy`() throws {
    let works = try check(device.program.socket).output
    #expect(works.contains("hook: works"), "\(works)")
    try device.program.machine.shell("sed -i '/--after/d' /etc/pam.d/common-password")
    let old = try check(device.program.socket).output
    #expect(old.contains("hook: missing") && old.contains("tap-device password-hook --after"), "\(old)")
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
    #expect(try programs.tap(["device", "keys", "delete", String(left)] + socket).code == 2)
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
      full.code == 2 && full.output.contains("keys: missing: a further key is refused at 256 keys"), "\(full.output)")
    #expect(full.output.contains("tap device keys delete") && !full.output.contains("TPM 2.0"), "\(full.output)")
  }

  @Test func `a machine without fingers and without a lock is refused with the reason`() async throws {
    let enrolled = try wallet("device", "enrol", "--policy", "biometricOnly")
    #expect(enrolled.code == 2 && enrolled.errors.contains("no biometrics are enrolled"), "\(enrolled.errors)")
    let check = try self.check(device.program.socket)
    #expect(check.code == 2 && check.output.contains("remedy"), "\(check.output)")
    let absent = try self.check("/home/absent")
    #expect(absent.code == 2 && absent.output.contains("tap-device"), "\(absent.output)")
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
