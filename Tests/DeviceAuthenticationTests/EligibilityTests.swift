import DeviceAuthentication
import Octets
import Testing

// R17.
@Suite("Whether a device can verify its owner")
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
  func `The first thing that is missing is told`(
    _ policy: CardholderVerificationPolicy, _ state: [DeviceChange], _ expected: DeviceOwnerAuthentication
  ) async {
    let device = device(state)
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    #expect(await verifier.eligibility() == expected)
    #expect(device.keyAccessCount == 0)
  }

  @Test(arguments: cases)
  func `A key is made exactly where the device is eligible`(
    _ policy: CardholderVerificationPolicy, _ state: [DeviceChange], _ expected: DeviceOwnerAuthentication
  ) async {
    let device = device(state)
    let verifier = CardholderVerifier(policy: policy, ports: device.ports, clock: ManualClock())
    let error = await thrown { () throws(DeviceAuthenticationError) in try await verifier.enrolKey() }
    switch expected {
    case .supported: #expect(error == nil)
    case .biometricNotSet: #expect(error?.kind == "biometricNotEnrolled")
    case .passcodeNotSet: #expect(error == .passcodeNotSet)
    }
    #expect(device.keyCount == (expected == .supported ? 1 : 0))
  }

  @Test func `Fingerprints without a passcode, which a phone cannot have, are not enough`() async {
    let device = device([.enrolBiometric], hardware: .init(biometricsNeedPasscode: false))
    let verifier = CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
    #expect(await verifier.eligibility() == .passcodeNotSet)
  }

  @Test func `A device that cannot tell is not eligible`() async {
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
