import DeviceAuthentication
import DeviceLink
import TestSupport
import Testing

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
    await DeviceSurvey(linked.client, integrity: integrity).findings()
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
}
