import DeviceAuthentication
import Foundation
import Octets
import TestSupport
import Testing

@Suite("A simulated device that lasts")
struct StoredDeviceTests {
  @Test(arguments: DeviceScenario.table + DeviceScenario.consequences)
  func `each row has its outcome when every step is a new opening of the file`(_ scenario: DeviceScenario) async throws
  {
    let directory = try DeviceDirectory()
    func reopened() throws -> StoredDevice { try StoredDevice(path: directory.path, clock: ManualWallClock()) }
    for change in scenario.setUp { try reopened().apply(change) }
    let unbound = CardholderVerifier(policy: scenario.policy, ports: try reopened().ports, clock: ManualClock())
    let key = try await unbound.enrolKey()
    for change in scenario.changes { try reopened().apply(change) }
    let verifier = CardholderVerifier(
      policy: scenario.policy, ports: try reopened().ports, key: key, clock: ManualClock())
    let outcome: DeviceScenario.Outcome
    do throws(DeviceAuthenticationError) {
      outcome = .noAction(try await verifier.verify(nonce: [1]).method)
    } catch .authenticationKeyInvalidated {
      outcome = .authenticationKeyInvalidated
    } catch .biometricNotEnrolled {
      outcome = .biometricNotEnrolled
    }
    #expect(outcome == scenario.outcome)
  }

  @Test(arguments: DeviceScenario.table)
  func `each row has its outcome on one open device`(_ scenario: DeviceScenario) async throws {
    let directory = try DeviceDirectory()
    let device = try StoredDevice(path: directory.path)
    #expect(try await scenario.outcome(on: device, clock: ManualClock()) == scenario.outcome)
  }

  @Test func `keys and counters are the same after a new opening`() async throws {
    let directory = try DeviceDirectory()
    let first = try directory.phone().ports.keys
    let key = try await first.create(.sealing, counting: true)
    #expect(try await first.advanceCounter(of: key) == 1)
    let octets = try await first.unseal(key).withExposedOctets { $0.hex }
    let second = try StoredDevice(path: directory.path).ports.keys
    #expect(try await second.access(key) == .usable)
    #expect(try await second.counter(of: key) == 1)
    #expect(try await second.unseal(key).withExposedOctets { $0.hex } == octets)
    try await second.delete(key)
    #expect(try await first.access(key) == .missing)
  }

  @Test(
    arguments: [
      (.biometricOnly, .disableLockScreen, "authenticationKeyInvalidated"),
      (.userPresence, .disableLockScreen, "authenticationKeyInvalidated"),
      (.biometricOnly, .removeAllBiometrics, "biometricNotEnrolled"),
      (.userPresence, .removeAllBiometrics, "passcode"), (.biometricOnly, .enrolBiometric, "biometric"),
      (.userPresence, .changePasscode, "biometric"),
    ] as [(CardholderVerificationPolicy, DeviceChange, String)])
  func `a change by another opening while a prompt is open counts`(
    _ policy: CardholderVerificationPolicy, _ change: DeviceChange, _ result: String
  ) async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    let other = try StoredDevice(path: directory.path)
    struct RemovingSensor: BiometricVerifier {
      let base: any BiometricVerifier
      let other: StoredDevice
      let change: DeviceChange
      func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { try await base.enrolment() }
      func verify(
        prompt: String, offeringPasscode: Bool
      ) async throws(DeviceAuthenticationError) -> BiometricResult {
        try other.apply(change)
        return .matched
      }
    }
    let ports = DevicePorts(
      biometric: RemovingSensor(base: device.ports.biometric, other: other, change: change),
      passcode: device.ports.passcode,
      lock: device.ports.lock, keys: device.ports.keys)
    let unbound = CardholderVerifier(policy: policy, ports: ports, clock: ManualClock())
    let verifier = unbound.bound(to: try await unbound.enrolKey())
    do throws(DeviceAuthenticationError) {
      #expect(try await verifier.verify(nonce: [1]).method.rawValue == result)
    } catch { #expect(error.kind == result) }
  }

  @Test func `a symbolic link stands for the file that it names, and stays`() async throws {
    let directory = try DeviceDirectory()
    let folder = directory.directory
    let link = folder.appending(path: "link")
    // The file does not exist yet, and the link is relative.
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "device")
    let linked = try StoredDevice(path: link.path)
    try linked.apply([.setPasscode])
    let key = try await linked.ports.keys.create(.sealing, counting: true)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "device")
    // Both names are one device with one lock: a counter that is raised by the one is raised for the other.
    #expect(try await StoredDevice(path: directory.path).ports.keys.advanceCounter(of: key) == 1)
    #expect(try await linked.ports.keys.counter(of: key) == 1)
    #expect(!FileManager.default.fileExists(atPath: link.path + ".lock"))
  }

  @Test func `the state is shown without a secret`() async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone()
    _ = try await device.ports.keys.create(.sealing)
    try device.apply([.disableLockScreen, .setPasscode])
    _ = try await device.ports.keys.create(.sealing)
    let status = try device.status()
    #expect(status.isPasscodeSet && status.enrolments == 0 && status.lockEpoch == 1)
    #expect(status.usableKeys == 1 && status.invalidKeys == 1)
  }

  @Test func `a group of changes is made as a whole or not at all`() throws {
    let directory = try DeviceDirectory()
    let device = try StoredDevice(path: directory.path)
    let before = try directory.contents
    let error = fileError { () throws(StoredDeviceError) in
      try device.apply([.setPasscode, .disableLockScreen, .enrolBiometric])
    }
    #expect(error == .refused(path: directory.path, .passcodeNotSet))
    #expect(try directory.contents == before)
  }
}

@Suite("The attempt limits of a simulated device")
struct AttemptLimitTests {
  private let clock = ManualWallClock(at: WallTime(seconds: 1_000_000))

  private func entries(_ device: StoredDevice, _ count: Int) async throws -> [PasscodeResult] {
    var results: [PasscodeResult] = []
    for _ in 0..<count { results.append(try await device.ports.passcode.verify(prompt: "p")) }
    return results
  }

  @Test func `the passcode is locked for 60 s after 5 wrong entries, also for another process`() async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone(user: .fail, clock: clock)
    #expect(try await entries(device, 6) == [PasscodeResult](repeating: .notMatched, count: 5) + [.lockedOut])
    let other = try StoredDevice(path: directory.path, clock: clock)
    #expect(try await entries(other, 1) == [.lockedOut])
    #expect(try other.status().passcodeLockedSeconds == 60)
    clock.set(WallTime(seconds: 1_000_059))
    #expect(try await entries(other, 1) == [.lockedOut])
    clock.set(WallTime(seconds: 1_000_060))
    #expect(try await entries(other, 1) == [.matched])
  }

  @Test func `moving the device's clock forward ends the time, and a wrong entry starts it again`() async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone(user: .fail, clock: clock)
    _ = try await entries(device, 5)
    try device.apply([], advancingBy: 59)
    #expect(try await entries(device, 1) == [.lockedOut])
    try device.apply([], advancingBy: 1)
    #expect(try await entries(device, 2) == [.notMatched, .lockedOut])
  }

  @Test func `a clock that is set back does not end the time earlier`() async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone(user: .fail, clock: clock)
    _ = try await entries(device, 5)
    clock.set(WallTime(seconds: 1_000_030))
    #expect(try await entries(device, 1) == [.lockedOut])
    clock.set(WallTime(seconds: 1))
    #expect(try await entries(device, 1) == [.lockedOut])
    #expect(try device.status().passcodeLockedSeconds == 30)
    try device.apply([], advancingBy: 2_000_000)
    #expect(try await entries(device, 1) == [.notMatched])
  }

  @Test func `5 unknown fingers lock the sensor for every process until the passcode is entered`() async throws {
    let directory = try DeviceDirectory()
    let device = try directory.phone(user: .fail, clock: clock)
    for _ in 0..<5 {
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .notMatched)
    }
    let other = try StoredDevice(path: directory.path, clock: clock)
    #expect(try await other.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .lockedOut)
    #expect(try other.status().isSensorLocked)
    #expect(try await entries(other, 1) == [.matched])
    #expect(try await device.ports.biometric.enrolment().state == .enrolled)
    #expect(try await other.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .matched)
  }
}
