import DeviceAuthentication
import Octets
import Testing

@Suite("What a change of the unlock method does to a wallet")
struct ScenarioTests {
  // R2, R4–R6, R8–R14.
  @Test(arguments: DeviceScenario.table)
  func `Each published row ends as published`(_ scenario: DeviceScenario) async throws {
    #expect(try await scenario.outcome(on: SimulatedDevice(), clock: ManualClock()) == scenario.outcome)
  }

  @Test(arguments: DeviceScenario.table)
  func `Each published row ends the same where fingerprints outlive the passcode`(_ scenario: DeviceScenario)
    async throws
  {
    let device = SimulatedDevice(hardware: .init(biometricsNeedPasscode: false))
    #expect(try await scenario.outcome(on: device, clock: ManualClock()) == scenario.outcome)
  }

  // R7 and others.
  @Test(arguments: DeviceScenario.consequences)
  func `Rows that follow from the published ones`(_ scenario: DeviceScenario) async throws {
    #expect(try await scenario.outcome(on: SimulatedDevice(), clock: ManualClock()) == scenario.outcome)
  }

  // R15.
  @Test func `The table has five and six rows, and only the two errors the source names`() {
    let byPolicy = Dictionary(grouping: DeviceScenario.table, by: \.policy)
    #expect(byPolicy[.biometricOnly]?.count == 5)
    #expect(byPolicy[.userPresence]?.count == 6)
    #expect(Set(DeviceScenario.table.map(\.description)).count == 11)
    #expect(byPolicy[.userPresence]?.contains { $0.outcome == .biometricNotEnrolled } == false)
  }

  @Test(arguments: DeviceScenario.table)
  func `A row ends with an error of its own when the device fails`(_ scenario: DeviceScenario) async {
    let broken = BrokenDevice(inner: SimulatedDevice())
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await scenario.outcome(on: broken, clock: ManualClock())
    }
    #expect(error == .unavailable(reason: "the key store does not answer"))
  }

  // R6, the half that keeps cards and keys; R7.
  @Test func `Removing all biometrics leaves the key usable, and enrolling again makes it serve`() async throws {
    let device = device()
    let verifier = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    try await verifier.enrolKey()
    device.removeAllBiometrics()
    #expect(await verifier.result().failure?.kind == "biometricNotEnrolled")
    #expect(try await device.ports.key.access() == .usable)
    device.enrolBiometric()
    #expect(await verifier.result() == .success(.biometric))
  }

  // R16.
  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `Removing the lock changes nothing until the key is accessed`(_ policy: CardholderVerificationPolicy)
    async throws
  {
    let device = device()
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    try await verifier.enrolKey()
    let accesses = device.keyAccessCount
    device.disableLockScreen()
    device.setPasscode("1234")
    device.enrolBiometric()
    #expect(await verifier.eligibility() == .supported)
    #expect(device.keyAccessCount == accesses, "neither the removal nor the eligibility check accesses the key")
    #expect(device.keyCount == 1, "nothing deletes the key but its owner")
    let invalid = KeyInvalidation.lockRemoved(keyEpoch: LockEpoch(rawValue: 0), presentEpoch: LockEpoch(rawValue: 1))
    for _ in 0..<2 {
      #expect(await verifier.result() == .failure(.authenticationKeyInvalidated(invalid)))
    }
    #expect(device.promptCount(.biometric) + device.promptCount(.passcode) == 0, "nobody is asked for an invalid key")
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `A new key made after the removal serves`(_ policy: CardholderVerificationPolicy) async throws {
    let device = device()
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    try await verifier.enrolKey()
    device.disableLockScreen()
    device.setPasscode("1234")
    device.enrolBiometric()
    try await verifier.deleteKey()
    #expect(await verifier.result() == .failure(.authenticationKeyMissing))
    try await verifier.enrolKey()
    #expect(await verifier.result() == .success(.biometric))
  }

  @Test func `A removal while the prompt is open is found before the verification is made`() async throws {
    let device = device()
    let ports = device.ports.with(
      StubSensor { () throws(DeviceAuthenticationError) in
        device.disableLockScreen()
        return .matched
      })
    let verifier = CardholderVerifier(policy: .biometricOnly, ports: ports, clock: ManualClock())
    try await verifier.enrolKey()
    #expect(await verifier.result().failure?.kind == "authenticationKeyInvalidated")
  }
}

extension Result {
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

/// A device whose key store does not answer.
private struct BrokenDevice: ScenarioDevice {
  struct Key: AuthenticationKey {
    func create() async throws(DeviceAuthenticationError) {}
    func access() async throws(DeviceAuthenticationError) -> KeyAccess {
      throw .unavailable(reason: "the key store does not answer")
    }
    func delete() async throws(DeviceAuthenticationError) {}
  }

  let inner: SimulatedDevice
  var ports: DevicePorts {
    let ports = inner.ports
    return DevicePorts(biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock, key: Key())
  }
  func apply(_ change: DeviceChange) { inner.apply(change) }
  func seat(_ user: SimulatedUser) { inner.seat(user) }
}
