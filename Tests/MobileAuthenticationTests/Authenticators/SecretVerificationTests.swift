import DeviceAuthentication
import Documents
import FIDOUAF
import Foundation
import Octets
import Synchronization
import TestSupport
import Testing

@testable import MobileAuthentication

@Suite struct SecretVerificationTests {
  @Test func `a right PIN verifies and its person is informed once`() async throws {
    let stage = try await SecretStage()
    let person = Person(entries: ["123456"])
    try await stage.verify(person)
    #expect(person.acceptedCount == 1)
    #expect(person.contexts.map(\.protectionStatus) == [.unlocked])
    #expect(person.contexts.first?.account == SecretStage.account)
  }

  @Test func `two wrong PINs are followed by another prompt at once`() async throws {
    let stage = try await SecretStage()
    let person = Person(entries: ["000000", "000001", "123456"])
    try await stage.verify(person)
    #expect(
      person.contexts.map(\.protectionStatus) == [
        .unlocked, .lastAttemptFailed(remainingRetries: 4, coolDown: .zero),
        .lastAttemptFailed(remainingRetries: 3, coolDown: .zero),
      ])
    #expect(person.refusals == [nil, .incorrect, .incorrect])
    #expect(try await stage.status == .unlocked)
  }

  @Test func `the third and the fourth wrong PIN start a cool-down`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    #expect(try await stage.status == .lastAttemptFailed(remainingRetries: 2, coolDown: .seconds(60)))
    try await stage.fail(times: 1)
    #expect(try await stage.status == .lastAttemptFailed(remainingRetries: 1, coolDown: .seconds(180)))
  }

  @Test func `the right PIN is ignored 59 s after the third failure and accepted after 60 s`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    stage.clock.advance(by: .milliseconds(59_900))
    let early = Person(entries: ["123456"])
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.verify(early) }
    #expect(early.acceptedCount == 0)
    #expect(early.refusals == [nil, .incorrect])
    #expect(try await stage.failures == 3)
    stage.clock.advance(by: .milliseconds(100))
    try await stage.verify(Person(entries: ["123456"]))
    #expect(try await stage.status == .unlocked)
  }

  @Test func `twenty wrong PINs in a cool-down count nothing`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 4)
    let person = Person(entries: [String](repeating: "999999", count: 20))
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.verify(person) }
    #expect(person.contexts.count == 21)
    #expect(try await stage.failures == 4)
  }

  @Test func `the fifth wrong PIN destroys the private key and keeps the record`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 4)
    stage.clock.advance(by: .seconds(180))
    let person = Person(entries: ["999999", "123456"])
    await #expect(throws: AuthenticatorError.lockedOut) { try await stage.verify(person) }
    #expect(person.contexts.count == 1)
    #expect(stage.device.keyCount == 0)
    let data = LocalData(
      store: stage.store, device: AuthenticationDevice(ports: stage.device.ports, protection: .simulated))
    #expect(try await data.registrations().count == 1)
    #expect(AuthenticatorError.lockedOut.uafErrorCode == .userLockout)
  }

  @Test func `a locked PIN stays locked without a prompt, after a restart and after any time`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 4)
    stage.clock.advance(by: .seconds(180))
    await #expect(throws: AuthenticatorError.lockedOut) { try await stage.verify(Person(entries: ["999999"])) }
    stage.clock.advance(by: .seconds(10_000_000))
    let person = Person(entries: ["123456"])
    await #expect(throws: AuthenticatorError.lockedOut) {
      try await stage.authenticator(boot: "two").verify(stage.keyID, stage.aaid, asking: person)
    }
    #expect(person.contexts.isEmpty)
  }

  @Test func `a key that outlived the fifth wrong entry is destroyed at the next use`() async throws {
    let stage = try await SecretStage()
    // A process that ended between counting and destroying leaves this.
    try await stage.store.change { records in
      let mark = TimeMark(wall: WallTime(seconds: 0), sinceBoot: Instant(nanoseconds: 0), boot: "one")
      records.registrations[0].protection?.attempts = AttemptRecord(failures: 5, lastFailure: mark)
    }
    #expect(stage.device.keyCount == 2)
    await #expect(throws: AuthenticatorError.lockedOut) { try await stage.verify(Person(entries: ["123456"])) }
    #expect(stage.device.keyCount == 0)
  }

  @Test func `a cool-down survives a restart of the machine with its date set back`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    stage.wall.set(WallTime(seconds: 0))
    let restarted = SecretAuthenticator(
      kind: .pin, keys: stage.device.ports.keys, store: stage.store,
      clocks: AuthenticatorClocks(wall: stage.wall, monotonic: ManualClock(), boot: "two"),
      settings: SecretAuthenticator.Settings(interactionLimit: .seconds(240), cost: 4))
    let person = Person(entries: ["123456"])
    await #expect(throws: AuthenticatorError.cancelled) {
      try await restarted.verify(stage.keyID, stage.aaid, asking: person)
    }
    #expect(person.contexts.first?.protectionStatus.coolDown == .seconds(60))
  }

  @Test func `two processes count every wrong PIN`() async throws {
    let stage = try await SecretStage()
    let verdicts = await withTaskGroup(of: AuthenticatorError?.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do throws(AuthenticatorError) {
            try await stage.verify(Person(entries: ["999999"]))
            return nil
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: [AuthenticatorError?]()) { $0.append($1) }
    }
    #expect(verdicts == [.cancelled, .cancelled])
    #expect(try await stage.failures == 2)
  }

  @Test func `many processes together get five wrong PINs and no more`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    stage.clock.advance(by: .seconds(60))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { try? await stage.verify(Person(entries: ["999999"])) }
      }
    }
    // The first of them starts a cool-down, and the others are ignored.
    #expect(try await stage.failures == 4)
  }

  @Test func `a process that ends during the comparison has used its attempt`() async throws {
    let stage = try await SecretStage()
    struct Killed: Error {}
    // What `begin` has made durable before the comparison.
    let now = TimeMark(wall: stage.wall.now, sinceBoot: stage.clock.now, boot: "one")
    _ = try? await stage.store.update { (records, keep) throws(LocalDataError) in
      _ = records.registrations[0].protection?.attempts.begin(at: now)
      try keep(records)
      records.registrations[0].protection?.attempts.succeed()
      throw LocalDataError.busy(path: "the process was killed here")
    }
    #expect(try await stage.failures == 1)
  }

  @Test(arguments: [(0, 299, false), (3, 299, false), (3, 300, true), (0, 240, true)])
  func `the time-out is 240 s and the cool-down`(failures: Int, seconds: Int, isOver: Bool) async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: failures)
    let limit = failures == 3 ? 300 : 240
    let verification = Task { () -> AuthenticatorError? in
      do throws(AuthenticatorError) {
        try await stage.authenticator().verify(stage.keyID, stage.aaid, asking: Absent())
        return nil
      } catch {
        return error
      }
    }
    while stage.clock.sleeperCount == 0 { await Task.yield() }
    stage.clock.advance(by: .seconds(min(seconds, limit - 1)))
    #expect(stage.clock.sleeperCount == 1)
    guard isOver else {
      verification.cancel()
      #expect(await verification.value == .cancelled)
      return
    }
    stage.clock.advance(by: .seconds(1))
    #expect(await verification.value == .notResponsive(limit: .seconds(limit)))
    #expect(AuthenticatorError.notResponsive(limit: .seconds(limit)).uafErrorCode == .userNotResponsive)
  }

  /// The last answer of each row is the right PIN; nil: the person does not answer.
  @Test(
    arguments: [
      ([239], nil), ([100, 139], nil), ([240], Duration.seconds(240)), ([100, 140], .seconds(240)),
      // The third wrong PIN, after 237 s, begins a cool-down of 60 s. An ignored entry does not add it again.
      ([79, 79, 79, 62], nil), ([79, 79, 79, 59, 3], nil), ([79, 79, 79, 63], .seconds(300)),
      ([79, 79, 79, 59, 4], .seconds(300)),
      // The fourth one, after 299 s, begins another of 180 s.
      ([79, 79, 79, 62, 180], nil), ([79, 79, 79, 62, 181], .seconds(480)),
    ] as [([Int], Duration?)])
  func `all answers of an operation share 240 s and its cool-downs`(pauses: [Int], limit: Duration?) async throws {
    let stage = try await SecretStage()
    let person = SlowPerson(pauses, stage.clock, isAbsentAtLast: limit != nil)
    do throws(AuthenticatorError) {
      try await stage.authenticator().verify(stage.keyID, stage.aaid, asking: person)
      #expect(limit == nil)
    } catch {
      #expect(limit.map { error == .notResponsive(limit: $0) } == true, "\(error)")
    }
  }

  @Test func `a removed lock makes the key disappear and counts nothing`() async throws {
    let stage = try await SecretStage()
    stage.device.disableLockScreen()
    stage.device.setPasscode("1234")
    let error = await #expect(throws: AuthenticatorError.self) { try await stage.verify(Person(entries: ["123456"])) }
    #expect(error?.uafErrorCode == .keyDisappearedPermanently)
    #expect(try await stage.failures == 0)
  }

  @Test func `an unknown registration is not enrolled`() async throws {
    let stage = try await SecretStage(registered: nil)
    await #expect(throws: AuthenticatorError.notEnrolled) { try await stage.verify(Person(entries: ["123456"])) }
  }
}

/// A person who never answers.
struct Absent: SecretVerifier {
  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    let (never, keepsOpen) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    withExtendedLifetime(keepsOpen) {}
    throw InteractionCancelled()
  }
}

/// A person who takes time for each PIN. All are wrong but the last one.
private final class SlowPerson: SecretVerifier {
  private let pauses: Mutex<[Int]>
  private let clock: ManualClock
  private let isAbsentAtLast: Bool

  init(_ pauses: [Int], _ clock: ManualClock, isAbsentAtLast: Bool) {
    self.pauses = Mutex(pauses)
    (self.clock, self.isAbsentAtLast) = (clock, isAbsentAtLast)
  }

  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    let (pause, isLast) = pauses.withLock { pauses in (pauses.removeFirst(), pauses.isEmpty) }
    clock.advance(by: .seconds(pause))
    if isLast, isAbsentAtLast {
      while !Task.isCancelled { await Task.yield() }
      throw InteractionCancelled()
    }
    return EnteredSecret(isLast ? "123456" : "999999")
  }
}
