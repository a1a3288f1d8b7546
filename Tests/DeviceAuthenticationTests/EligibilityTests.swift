import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("The eligibility of a device")
struct EligibilityTests {
  static let cases: [(CardholderVerificationPolicy, [DeviceChange], DeviceOwnerAuthentication)] = [
    (.biometricOnly, [], .biometricNotSet),
    (.biometricOnly, [.setPasscode], .biometricNotSet),
    (.biometricOnly, [.setPasscode, .enrolBiometric], .supported),
    (.biometricOnly, [.setPasscode, .enrolBiometric, .removeAllBiometrics], .biometricNotSet),
    (.biometricOnly, [.setPasscode, .enrolBiometric, .disableLockScreen], .biometricNotSet),
    (.userPresence, [], .passcodeNotSet),
    (.userPresence, [.setPasscode], .supported),
    (.userPresence, [.setPasscode, .enrolBiometric], .supported),
    (.userPresence, [.setPasscode, .enrolBiometric, .removeAllBiometrics], .supported),
    (.userPresence, [.setPasscode, .enrolBiometric, .disableLockScreen], .passcodeNotSet),
  ]

  @Test(arguments: cases)
  func `the first missing requirement is reported`(
    _ policy: CardholderVerificationPolicy, _ state: [DeviceChange], _ expected: DeviceOwnerAuthentication
  ) async {
    let device = device(state)
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    #expect(await verifier.eligibility() == expected)
    #expect(device.keyAccessCount == 0)
  }

  @Test(arguments: cases)
  func `a key is created only on an eligible device`(
    _ policy: CardholderVerificationPolicy, _ state: [DeviceChange], _ expected: DeviceOwnerAuthentication
  ) async {
    let device = device(state)
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    let error = await thrown { () throws(DeviceAuthenticationError) in try await verifier.enrolKey() }
    switch expected {
    case .supported: #expect(error == nil)
    case .biometricNotSet:
      #expect(error?.kind == "biometricNotEnrolled")
      let isLocked = state.contains(.setPasscode) && !state.contains(.disableLockScreen)
      #expect(error.map { "\($0)".contains("the device has no lock either; set a passcode first") } == !isLocked)
    case .passcodeNotSet: #expect(error == .passcodeNotSet)
    }
    #expect(device.keyCount == (expected == .supported ? 1 : 0))
  }

  @Test func `fingerprints without a passcode do not suffice`() async {
    let device = device([.enrolBiometric], hardware: .init(biometricsNeedPasscode: false))
    let verifier = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    #expect(await verifier.eligibility() == .passcodeNotSet)
  }

  @Test func `a device whose sensor cannot be read is not eligible for biometrics`() async {
    let device = device()
    var sensor = StubSensor { () throws(DeviceAuthenticationError) in .matched }
    sensor.state = { () throws(DeviceAuthenticationError) in throw .busy("another program") }
    let biometricOnly = CardholderVerifier(
      policy: .biometricOnly, ports: device.ports.with(sensor), clock: ManualClock())
    #expect(await biometricOnly.eligibility() == .biometricNotSet)
    let userPresence = CardholderVerifier(
      policy: .userPresence, ports: device.ports.with(sensor), clock: ManualClock())
    #expect(await userPresence.eligibility() == .supported)
  }
}
