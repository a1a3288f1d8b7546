import DeviceAuthentication
import Foundation
import Glibc
import Octets
import TestSupport
import Testing

@testable import DeviceLink

@Suite("What a device can do, line by line", .timeLimit(.minutes(60)), .blocks)
struct SurveyTests {
  private struct Clean: DeviceIntegrity {
    func findings() -> [IntegrityFinding] { [] }
  }

  private struct Traced: DeviceIntegrity {
    func findings() -> [IntegrityFinding] { [.tracer(process: 7)] }
  }

  private func survey(
    _ linked: LinkedDevice, integrity: any DeviceIntegrity = Clean()
  ) async -> [DeviceFinding] {
    let pam = linked.scratch.path("pam")
    try? FileManager.default.createDirectory(atPath: pam, withIntermediateDirectories: true)
    try? Self.stack.write(toFile: pam + "/common-password", atomically: true, encoding: .utf8)
    return await DeviceSurvey(linked.client, integrity: integrity, pam: pam).findings()
  }

  private static let before = "password optional pam_exec.so seteuid quiet /usr/bin/tap-device password-hook\n"
  private static let after = before.replacingOccurrences(of: "\n", with: " --after\n")
  private static let unix = "password [success=1 default=ignore] pam_unix.so obscure\npassword requisite pam_deny.so\n"
  private static let stack = "# a comment\n" + before + unix + after

  private static let misplaced: [String] = [
    before + unix, unix + after, unix + before + after, before + after + unix, unix, "",
    "# \(before)\(unix)#\(after)", "\(before)password sufficient pam_unix.so\n\(after)",
    "\(before)password [success=done default=die] pam_unix.so\n\(after)",
  ]

  private func hook(_ stack: String) throws -> DeviceFinding {
    let scratch = try Scratch()
    _ = try scratch.write("login", "auth required pam_unix.so\n")
    _ = try scratch.write("common-password", stack)
    return PasswordHookLines(in: scratch.directory.path).finding
  }

  @Test func `the lines of the password hook work before and after pam_unix`() throws {
    let finding = try hook(Self.stack)
    #expect(finding.part == .hook && finding.verdict == .works && finding.remedy == nil)
  }

  @Test(arguments: misplaced)
  func `a line of the password hook that is missing or in the wrong place is named with the remedy`(
    _ stack: String
  ) throws {
    let finding = try hook(stack)
    #expect(finding.part == .hook && finding.verdict == .missing)
    #expect(finding.remedy?.contains("password-hook --after") == true)
  }

  @Test func `without a folder of PAM's services the hook is missing`() {
    #expect(PasswordHookLines(in: "/nowhere") == .absent)
  }

  private func verdict(_ part: DeviceFinding.Part, in findings: [DeviceFinding]) -> DeviceFinding.Verdict? {
    findings.first { $0.part == part }?.verdict
  }

  @Test func `a device that is set up works in every part and under both policies`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    let findings = await survey(linked)
    #expect(Set(findings.map(\.part)) == Set(DeviceFinding.Part.allCases))
    #expect(findings.allSatisfy { $0.verdict == .works && $0.remedy == nil })
    for policy in CardholderVerificationPolicy.allCases { #expect(findings.allow(policy)) }
    #expect(linked.device.keyCount == 0)
    #expect(linked.device.promptCount(.biometric) + linked.device.promptCount(.passcode) == 0)
  }

  @Test func `without a passcode the lock and the keys are missing, with the remedy`() async throws {
    let findings = await survey(try LinkedDevice())
    #expect(verdict(.lock, in: findings) == .missing)
    #expect(verdict(.keys, in: findings) == .missing)
    #expect(findings.first { $0.part == .lock }?.remedy == "set one: passwd")
    for policy in CardholderVerificationPolicy.allCases { #expect(!findings.allow(policy)) }
  }

  @Test func `without a finger only the policy with a passcode works`() async throws {
    let enrolled = await survey(try LinkedDevice(changes: [.setPasscode]))
    #expect(verdict(.biometrics, in: enrolled) == .missing)
    let none = await survey(try LinkedDevice(hardware: .init(hasSensor: false), changes: [.setPasscode]))
    #expect(verdict(.biometrics, in: none) == .broken)
    for findings in [enrolled, none] {
      #expect(!findings.allow(.biometricOnly))
      #expect(findings.allow(.userPresence))
    }
  }

  @Test func `a key store that does not answer is broken`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    linked.device.keyStoreError = .unavailable(reason: "no TPM")
    let findings = await survey(linked)
    #expect(verdict(.keys, in: findings) == .broken)
    #expect(!findings.allow(.userPresence))
  }

  @Test func `a program that is traced is no device for a payment`() async throws {
    let findings = await survey(try LinkedDevice(changes: [.setPasscode, .enrolBiometric]), integrity: Traced())
    #expect(findings.first { $0.part == .integrity }?.remedy == "process 7 traces this program; end it")
    #expect(!findings.allow(.biometricOnly))
  }

  @Test func `without tap-device the remedy is its command`() async throws {
    let client = DeviceLinkClient(socket: "/nowhere/s", terminal: "/dev/null")
    let findings = await DeviceSurvey(client, integrity: Clean()).findings()
    #expect(findings.map(\.part) == [.program, .terminal, .integrity])
    #expect(findings.map(\.verdict) == [.broken, .missing, .works])
    #expect(findings[0].remedy == "as root: tap-device serve --user NAME --socket /nowhere/s")
  }

  @Test func `a counter that another program has raised is named with its key`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    let key = try await linked.device.ports.keys.create(.sealing, counting: true)
    let ports = linked.device.ports
    let scratch = try Scratch()
    let raised = RaisedCounter(base: ports.keys, key: key)
    let served = DevicePorts(biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock, keys: raised)
    let server = try DeviceLinkServer(ServedDevice(served), at: scratch.path("s"), user: getuid(), limits: .standard)
    defer { server.stop() }
    let client = DeviceLinkClient(
      socket: scratch.path("s"), terminal: "/dev/null", callLimit: .seconds(600), cancelLimit: .seconds(600))
    #expect(await DeviceSurvey(client, integrity: Clean()).findings().filter { $0.verdict == .broken }.isEmpty)
    _ = try await ports.keys.advanceCounter(of: key)
    let broken = await DeviceSurvey(client, integrity: Clean()).findings().filter { $0.verdict == .broken }
    #expect(broken.map(\.part) == [.counters])
    #expect(broken.first?.text.hasSuffix("\(key.octets.hex) from 0 to 1") == true, "\(broken)")
  }
}

/// Keys of which one has a counter that its device has never raised.
private struct RaisedCounter: ProtectedKeyStore {
  let base: any ProtectedKeyStore
  let key: KeyIdentifier

  func create(_ kind: ProtectedKeyKind, counting: Bool) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try await base.create(kind, counting: counting)
  }
  func list() async throws(DeviceAuthenticationError) -> [ListedKey] {
    [ListedKey(identifier: key, kind: .sealing, isCounting: true, count: 0)]
  }
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess { try await base.access(key) }
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret { try await base.unseal(key) }
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.publicKey(of: key)
  }
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.sign(digest, with: key)
  }
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try await base.counter(of: key)
  }
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try await base.advanceCounter(of: key, from: value)
  }
}
