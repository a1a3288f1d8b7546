import DeviceAuthentication
import Foundation
import Glibc
import Octets
import Synchronization
import TestSupport
import Testing

@testable import DeviceLink

/// Checks that count how often they run.
private final class CountedChecks: DeviceIntegrity {
  private struct State {
    var count = 0
    var findings: [IntegrityFinding] = []
    var onScan: @Sendable () -> Void = {}
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.count) }

  func findings() -> [IntegrityFinding] {
    let state = state.withLock { state in
      state.count += 1
      return state
    }
    state.onScan()
    return state.findings
  }

  /// Calls a function at the beginning of each later scan, on its thread.
  func change(onScan: @escaping @Sendable () -> Void) { state.withLock { $0.onScan = onScan } }

  func change(to findings: [IntegrityFinding]) { state.withLock { $0.findings = findings } }
}

@Suite("The checks that a process shares", .blocks, .timeLimit(.minutes(20)))
struct IntegrityGuardTests {
  private let checks = CountedChecks()
  private let clock = ManualClock()
  private let integrity: IntegrityGuard

  init() {
    integrity = IntegrityGuard(
      checks, control: SimulatedIntegrity([.unchecked("control")]), clock: clock, random: SeededRandomSource(seed: 1))
  }

  @Test func `uses of keys within one second share a scan`() {
    for (step, count) in [(Duration.zero, 1), (.milliseconds(500), 1), (.milliseconds(500), 1), (.nanoseconds(1), 2)] {
      clock.advance(by: step)
      #expect(integrity.findings() == [])
      #expect(checks.count == count)
    }
  }

  @Test func `an asynchronous use of a key gets the recent result, or scans`() async {
    #expect(await integrity.currentFindings() == [])
    #expect(await integrity.currentFindings() == [])
    #expect(checks.count == 1)
    clock.advance(by: .seconds(2))
    checks.change(to: [.tracer(process: 7)])
    #expect(await integrity.currentFindings() == [.tracer(process: 7)])
  }

  @Test func `uses of keys at one time share a scan`() {
    DispatchQueue.concurrentPerform(iterations: 8) { _ in _ = integrity.findings() }
    #expect(checks.count == 1)
  }

  @Test func `a finding stays although a later scan finds nothing`() {
    checks.change(to: [.tracer(process: 7)])
    #expect(integrity.findings() == [.tracer(process: 7)])
    checks.change(to: [])
    clock.advance(by: .seconds(2))
    #expect(integrity.findings() == [.tracer(process: 7)])
    #expect(checks.count == 2)
  }

  @Test func `a check that could not run is tried again`() {
    checks.change(to: [.unchecked("no descriptors")])
    #expect(integrity.findings() == [.unchecked("no descriptors")])
    checks.change(to: [])
    clock.advance(by: .seconds(2))
    #expect(integrity.findings() == [])
  }

  @Test func `nothing is scanned at a random moment during a tap`() {
    integrity.tapChanged(isRunning: true)
    #expect(integrity.look() == [])
    #expect(checks.count == 0)
    integrity.tapChanged(isRunning: false)
    #expect(integrity.look() == [])
    #expect(checks.count == 1)
  }

  @Test func `the result of a random moment serves the uses of keys of the next second`() {
    checks.change(to: [.tracer(process: 7)])
    #expect(integrity.look() == [.tracer(process: 7)])
    #expect(integrity.findings() == [.tracer(process: 7)])
    #expect(checks.count == 1)
  }

  @Test func `random moments are 0,3 to 0,9 s apart`() {
    #expect(ScanSchedule.interval(0) == .milliseconds(300))
    #expect(ScanSchedule.interval(.max) == .milliseconds(900))
    #expect(ScanSchedule.interval(.max / 2 + 1) > .milliseconds(600))
  }

  @Test func `a process that uses no key is scanned at random moments until the checks are released`() async {
    let (found, finds) = AsyncStream<[IntegrityFinding]>.makeStream()
    do {
      let integrity = IntegrityGuard(
        checks, control: SimulatedIntegrity([.unchecked("control")]), clock: clock, random: SeededRandomSource(seed: 1))
      integrity.watch { finds.yield($0) }
      var results = found.makeAsyncIterator()
      for process in Int32(7)...9 {
        checks.change(to: [.tracer(process: process)])
        // The next scan is planned by the thread of the one before.
        await until { clock.sleeperCount == 1 }
        clock.advance(by: ScanSchedule.longestInterval)
        #expect(await results.next() == [.tracer(process: process)])
      }
      await until { clock.sleeperCount == 1 }
    }
    #expect(checks.count == 3)
    await until { clock.sleeperCount == 0 }
  }

  @Test func `a finding is reported once, also that of a use of a key`() async {
    let (found, finds) = AsyncStream<[IntegrityFinding]>.makeStream()
    integrity.watch { finds.yield($0) }
    checks.change(to: [.tracer(process: 7)])
    #expect(integrity.findings() == [.tracer(process: 7)])
    checks.change(to: [])
    for _ in 1...3 {
      await until { clock.sleeperCount == 1 }
      clock.advance(by: ScanSchedule.longestInterval)
    }
    await until { clock.sleeperCount == 1 }
    checks.change(to: [.tracer(process: 8)])
    clock.advance(by: ScanSchedule.longestInterval)
    var results = found.makeAsyncIterator()
    #expect(await results.next() == [.tracer(process: 7)])
    #expect(await results.next() == [.tracer(process: 8)])
  }

  @Test func `asynchronous uses do not wait for the scan that follows a valid result`() async {
    let (begun, begins, ends) = { ($0.stream, $0.continuation, DispatchSemaphore(value: 0)) }(
      AsyncStream<Void>.makeStream())
    #expect(await integrity.currentFindings() == [])
    checks.change(to: [.tracer(process: 7)])
    checks.change {
      begins.yield()
      ends.wait()
    }
    clock.advance(by: .milliseconds(501))
    #expect(await integrity.currentFindings() == [])
    for await _ in begun { break }
    for _ in 1...3 { #expect(await integrity.currentFindings() == []) }
    ends.signal()
    await until { integrity.findings() == [.tracer(process: 7)] }
    #expect(checks.count == 2)
  }

  @Test func `checks that find nothing in their control are a finding`() {
    let integrity = IntegrityGuard(checks, control: SimulatedIntegrity(), clock: clock)
    #expect(integrity.findings() == [.disabledCheck("all signs of tampering")])
  }

  @Test func `a device with a sign of tampering uses no key, and still reports its lock`() async throws {
    let (scratch, terminal) = (try Scratch(), try PseudoTerminal())
    let device = SimulatedDevice(hardware: .phone, signing: ToySigning())
    device.setPasscode("1234")
    let served = ServedDevice(device.ports, integrity: checks) { _ in device.ports.passcode }
    let server = try DeviceLinkServer(served, at: scratch.path("s"), user: getuid())
    defer { server.stop() }
    let ports = DeviceLinkClient(socket: scratch.path("s"), terminal: terminal.path).ports
    let key = try await ports.keys.create(.sealing)
    checks.change(to: [.tracer(process: 7)])
    let reason = "tap-device refuses: process 7 traces this program; end it"
    await #expect(throws: DeviceAuthenticationError.unavailable(reason: reason)) {
      try await ports.keys.create(.sealing)
    }
    await #expect(throws: DeviceAuthenticationError.unavailable(reason: reason)) {
      _ = try await ports.keys.unseal(key)
    }
    let count = checks.count
    #expect(try await ports.lock.isSet())
    #expect(try await ports.keys.access(key) == .usable)
    #expect(checks.count == count)
  }
}
