import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite struct StoredDeviceClockTests {
  @Test func `the clocks of a stored device follow what another process adds`() throws {
    let scratch = try Scratch()
    let machine = ManualClock(at: Instant(nanoseconds: 5_000_000_000))
    let date = ManualWallClock(at: WallTime(seconds: 100, milliseconds: 7))
    let device = try StoredDevice(path: scratch.path("phone"), clock: date)
    let (wall, monotonic) = (device.wallClock, device.monotonicClock(machine: machine))
    #expect(wall.now == WallTime(seconds: 100, milliseconds: 7))
    try StoredDevice(path: scratch.path("phone")).apply([], advancingBy: 60)
    #expect(wall.now == WallTime(seconds: 160, milliseconds: 7))
    #expect(monotonic.now == Instant(nanoseconds: 65_000_000_000))
  }
}
