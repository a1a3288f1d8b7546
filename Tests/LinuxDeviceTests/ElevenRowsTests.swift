import DeviceAuthentication
import Octets
import TestSupport
import Testing

/// The published rows on a simulated device and on a real one: fprintd, PAM, the shadow file and a TPM of swtpm, behind
/// `tap-device` and its socket.
@Suite("The eleven rows on the device of a Linux machine", .timeLimit(.minutes(60)), .blocks)
struct ElevenRowsTests {
  @Test(arguments: DeviceScenario.table, [false, true])
  func `a published row has its outcome on both devices, also when the changes happen while tap-device is stopped`(
    _ row: DeviceScenario, _ changesWhileStopped: Bool
  ) async throws {
    #expect(try await row.outcome(on: SimulatedDevice(), clock: SystemClock()) == row.outcome)
    let device = try LinuxScenarioDevice(changesWhileStopped: changesWhileStopped)
    #expect(try await row.outcome(on: device, clock: SystemClock()) == row.outcome)
  }
}
