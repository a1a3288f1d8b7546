import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("Changes of the unlock method")
struct ScenarioTests {
  @Test(arguments: DeviceScenario.table)
  func `each published row has its published outcome`(_ scenario: DeviceScenario) async throws {
    #expect(try await scenario.outcome(on: SimulatedDevice(), clock: ManualClock()) == scenario.outcome)
  }

  @Test(arguments: DeviceScenario.table)
  func `each published row has the same outcome on a device that keeps fingerprints without a passcode`(
    _ scenario: DeviceScenario
  )
    async throws
  {
    let device = SimulatedDevice(hardware: .init(biometricsNeedPasscode: false))
    #expect(try await scenario.outcome(on: device, clock: ManualClock()) == scenario.outcome)
  }

  @Test(arguments: DeviceScenario.consequences)
  func `each row that follows from the published ones has its outcome`(_ scenario: DeviceScenario) async throws {
    #expect(try await scenario.outcome(on: SimulatedDevice(), clock: ManualClock()) == scenario.outcome)
  }

  @Test func `the published table has five and six rows and two errors`() {
    let byPolicy = Dictionary(grouping: DeviceScenario.table, by: \.policy)
    #expect(byPolicy[.biometricOnly]?.count == 5)
    #expect(byPolicy[.userPresence]?.count == 6)
    #expect(Set(DeviceScenario.table.map(\.description)).count == 11)
    #expect(byPolicy[.userPresence]?.contains { $0.outcome == .biometricNotEnrolled } == false)
  }

  @Test(arguments: DeviceScenario.table)
  func `a row throws the error of a device that fails`(_ scenario: DeviceScenario) async {
    let device = SimulatedDevice()
    device.keyStoreError = .unavailable(reason: "the key store does not respond")
    let error = await thrown { () throws(DeviceAuthenticationError) in
      try await scenario.outcome(on: device, clock: ManualClock())
    }
    #expect(error == device.keyStoreError)
  }

  @Test func `the key stays usable when all biometrics are removed and enrolled again`() async throws {
    let device = device()
    let verifier = try await CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
      .enrolled()
    device.removeAllBiometrics()
    #expect(await verifier.result().failure?.kind == "biometricNotEnrolled")
    let key = try #require(verifier.key).identifier
    #expect(try await device.ports.keys.access(key) == .usable)
    device.enrolBiometric()
    #expect(await verifier.result() == .success(.biometric))
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `a removal of the lock is detected at the next access to the key`(_ policy: CardholderVerificationPolicy)
    async throws
  {
    let device = device()
    let verifier = try await CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock()).enrolled()
    let accesses = device.keyAccessCount
    device.disableLockScreen()
    device.setPasscode("1234")
    device.enrolBiometric()
    #expect(await verifier.eligibility() == .supported)
    #expect(device.keyAccessCount == accesses, "neither the removal nor the eligibility check accesses the key")
    #expect(device.keyCount == 1, "only its owner deletes the key")
    let invalid = KeyInvalidation.lockRemoved(keyEpoch: LockEpoch(rawValue: 0), presentEpoch: LockEpoch(rawValue: 1))
    for _ in 0..<2 {
      #expect(await verifier.result() == .failure(.authenticationKeyInvalidated(invalid)))
    }
    #expect(
      device.promptCount(.biometric) + device.promptCount(.passcode) == 0, "no prompt is shown for an invalid key")
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `a key created after the removal is valid`(_ policy: CardholderVerificationPolicy) async throws {
    let device = device()
    let verifier = try await CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock()).enrolled()
    device.disableLockScreen()
    device.setPasscode("1234")
    device.enrolBiometric()
    try await verifier.deleteKey()
    #expect(await verifier.result() == .failure(.authenticationKeyInvalidated(.keyGone)))
    #expect(await (try verifier.enrolled()).result() == .success(.biometric))
  }

  @Test func `a removal after the recognition prevents the verification`() async throws {
    let device = device()
    let isRecognised = Flag()
    var sensor = StubSensor { () throws(DeviceAuthenticationError) in
      isRecognised.raise()
      return .matched
    }
    sensor.state = { () throws(DeviceAuthenticationError) in
      if isRecognised.isRaised { device.disableLockScreen() }
      return .enrolled()
    }
    let verifier = try await CardholderVerifier(
      policy: .biometricOnly, ports: device.ports.with(sensor), clock: ManualClock()
    ).enrolled()
    #expect(await verifier.result().failure?.kind == "authenticationKeyInvalidated")
  }

  @Test func `a removal during the prompt prevents the verification`() async throws {
    let device = device()
    let ports = device.ports.with(
      StubSensor { () throws(DeviceAuthenticationError) in
        device.disableLockScreen()
        return .matched
      })
    let verifier = try await CardholderVerifier(policy: .biometricOnly, ports: ports, clock: ManualClock()).enrolled()
    #expect(await verifier.result().failure?.kind == "authenticationKeyInvalidated")
  }
}

extension Result {
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
