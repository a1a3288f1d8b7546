import ContactlessPayment
import DeviceAuthentication
import Links
import Synchronization
import Testing

/// Integrity checks that find nothing, and write down their calls.
private final class JournalledIntegrity: DeviceIntegrity {
  private let journal = Mutex<[String]>([])

  var events: [String] { journal.withLock { $0 } }

  func findings() -> [IntegrityFinding] {
    journal.withLock { $0.append("checked") }
    return []
  }

  func tapChanged(isRunning: Bool) { journal.withLock { $0.append(isRunning ? "tap begins" : "tap ends") } }
}

@Suite("The integrity of the device in a payment")
struct IntegrityTests {
  static let findings: [IntegrityFinding] = [
    .tracer(process: 4711), .preload(library: "/tmp/evil.so"), .foreignMapping("memfd:agent"),
    .unchecked("/proc is not mounted"),
  ]

  @Test(arguments: findings)
  func `every finding prevents a payment and is named in the error`(_ finding: IntegrityFinding) async throws {
    let test = try await TestWallet(environment: IntegrityEnvironment(SimulatedIntegrity([finding])))
    #expect(try await test.startFailure(nil) == .deviceEnvironmentUnsafe(finding.description))
    #expect(test.device.promptCount(.biometric) == 0)
  }

  @Test(arguments: findings)
  func `a finding that appears during the verification prevents the arming`(_ finding: IntegrityFinding) async throws {
    let integrity = SimulatedIntegrity()
    let test = try await TestWallet(environment: IntegrityEnvironment(integrity))
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    integrity.change(to: [finding])
    await log.proceed()
    #expect(log.lastFailure == .deviceEnvironmentUnsafe(finding.description))
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `the device is checked before the verification and before the arming, and never during a tap`()
    async throws
  {
    let integrity = JournalledIntegrity()
    let test = try await TestWallet(environment: IntegrityEnvironment(integrity))
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    #expect(try await Tap.send(Tap.whole, over: loopback).last?.hasSuffix("9000") == true)
    #expect(await log.drain().last == "transactionCompleted")
    await session.finished()
    let events = integrity.events
    #expect(events.prefix(3) == ["checked", "checked", "tap begins"])
    #expect(events.dropFirst(3).first == "tap ends")
    #expect(events.count { $0 == "checked" } == 2)
  }

  @Test func `an untouched device leaves the decision to the base`() {
    let intact = SimulatedIntegrity()
    #expect(IntegrityEnvironment(intact).obstacle() == nil)
    let base = Surroundings(.notPermitted("not in the group"))
    #expect(IntegrityEnvironment(intact, base: base).obstacle() == .notPermitted("not in the group"))
    let traced = SimulatedIntegrity(Array(Self.findings.prefix(2)))
    #expect(
      IntegrityEnvironment(traced, base: base).obstacle()
        == .unsafeDevice(
          "process 4711 traces this program; end it; "
            + "the library /tmp/evil.so was preloaded; start the program without LD_PRELOAD and LD_AUDIT"))
  }
}
