import DeviceAuthentication
import Octets
import Testing

struct DoorCamera: BiometricVerifier {
  func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { .enrolled(.face) }

  func verify(prompt: String, offeringPasscode: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
    Task.isCancelled ? .cancelled : .matched
  }
}

extension ExampleTests {
  @Test func `the example of DeviceAuthentication verifies a cardholder, also with an added sensor`() async throws {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let unbound = CardholderVerifier(policy: .userPresence, ports: device.ports, clock: SystemClock())
    let key = try await unbound.enrolKey()
    let verifier = unbound.bound(to: key)

    let nonce = SystemRandomSource().octets(16)
    let verification = try await verifier.verify(nonce: nonce, prompt: "Pay 12.34 EUR")
    let cardholder = verification.redeem(nonce: nonce)
    print(cardholder.method, cardholder.isValid(at: SystemClock().now))

    #expect(cardholder.method == .biometric)

    let login = HolderVerifier(rules: .walletLogin, ports: device.ports, clock: SystemClock())
    let record = try await login.enrolKey(.sealing)
    let proof = try await login.bound(to: record).verify(
      for: .unsealing, validity: .seconds(60), prompt: "Log in to the wallet")
    let tokenKey = try await proof.unseal(record.identifier)
    print(tokenKey.count)

    #expect(tokenKey.count == 32)
    let ports = DevicePorts(
      biometric: DoorCamera(), passcode: device.ports.passcode, lock: device.ports.lock, keys: device.ports.keys)
    let other = CardholderVerifier(policy: .biometricOnly, ports: ports, key: key, clock: SystemClock())
    #expect(try await other.verify(nonce: nonce).method == .biometric)
  }
}
