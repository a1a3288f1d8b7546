import DeviceAuthentication
import DeviceLink
import Glibc
import Octets
import TestSupport
import Testing

extension ExampleTests {
  @Test func `the example of DeviceLink verifies a cardholder over a socket`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("device")
    let device = SimulatedDevice()
    device.setPasscode("1234")
    let server = try DeviceLinkServer(ServedDevice(device.ports), at: path, user: getuid())

    let client = DeviceLinkClient(socket: path)
    let verifier = CardholderVerifier(policy: .userPresence, ports: client.ports, clock: SystemClock())
    print(await verifier.eligibility())

    #expect(await verifier.eligibility() == .supported)
    await server.stopped()
  }

  @Test func `the example of DeviceLink checks its process`() {
    let integrity = IntegrityGuard(ProcessIntegrity())
    integrity.watch { findings in print(findings) }
    print(integrity.findings())

    #expect(!integrity.findings().contains(.disabledCheck("all signs of tampering")))
  }
}
