import DeviceAuthentication
import Octets
import TestSupport
import Testing

extension ExampleTests {
  @Test func `the example of devices in files verifies with a key that another opening has created`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("device")

    let phone = try StoredDevice(path: path)
    try phone.apply([.setPasscode, .enrolBiometric])
    let unbound = CardholderVerifier(policy: .biometricOnly, ports: phone.ports, clock: SystemClock())
    let key = try await unbound.enrolKey()

    // Another process opens the same file later.
    let same = try StoredDevice(path: path)
    let verifier = CardholderVerifier(policy: .biometricOnly, ports: same.ports, key: key, clock: SystemClock())
    print(try await verifier.verify(nonce: [1]).method, try same.status().usableKeys)

    #expect(try same.status().usableKeys == 1)
  }
}
