import DeviceAuthentication
import FIDOUAF
import Octets
import Synchronization
import TestSupport
import Testing

@testable import MobileAuthentication

/// A device with one registered PIN or password and clocks that a test moves.
final class SecretStage: Sendable {
  static let account = Account(username: "alice", server: "https://example.org")

  let scratch: Scratch
  let kind: SecretKind
  let aaid: AAID
  let keyID: KeyID
  let device: SimulatedDevice
  let store: FileLocalData
  let clock = ManualClock(at: Instant(nanoseconds: 1_000_000_000_000))
  let wall = ManualWallClock(at: WallTime(seconds: 1_800_000_000))

  init(_ kind: SecretKind = .pin, registered secret: String? = "123456") async throws {
    scratch = try Scratch()
    self.kind = kind
    aaid = try #require(AAID(kind == .pin ? "F1D0#1001" : "F1D0#1005"))
    keyID = try #require(KeyID([UInt8](repeating: 7, count: 32)))
    device = SimulatedDevice(signing: ToySigning())
    device.setPasscode("1234")
    store = FileLocalData(directory: scratch.path("state"))
    if let secret { try await register(secret) }
  }

  /// The authenticator as another process sees it.
  func authenticator(boot: String = "one") -> SecretAuthenticator {
    SecretAuthenticator(
      kind: kind, keys: device.ports.keys, store: FileLocalData(directory: scratch.path("state")),
      clocks: AuthenticatorClocks(wall: wall, monotonic: clock, boot: boot),
      settings: SecretAuthenticator.Settings(interactionLimit: .seconds(240), cost: 4))
  }

  func register(_ secret: String) async throws {
    let person = Person(entries: [secret])
    let protection = try await authenticator().enrol(for: Self.account, asking: person)
    let key = try await device.ports.keys.create(.signing)
    let record = RegistrationRecord(
      account: Self.account, aaid: aaid, keyID: keyID, appID: "app",
      key: ProtectedKeyRecord(identifier: key, enrolmentDigest: []), state: .registered, protection: protection)
    try await store.change { records in
      records.accounts = [AccountRecord(account: Self.account)]
      records.registrations = [record]
    }
  }

  func verify(_ person: Person) async throws(AuthenticatorError) {
    try await authenticator().verify(keyID, aaid, asking: person)
  }

  func change(_ person: Person) async throws(AuthenticatorError) {
    try await authenticator().change(of: "alice", asking: person)
  }

  /// Enters wrong values until so many are counted, waiting for each cool-down.
  func fail(times: Int) async throws {
    for _ in 0..<times {
      clock.advance(by: .seconds(180))
      await #expect(throws: AuthenticatorError.cancelled) { try await self.verify(Person(entries: ["999999"])) }
    }
  }

  /// The number of counted wrong entries in the file.
  var failures: Int? {
    get async throws { try await store.read().registrations.first?.protection?.attempts.failures }
  }

  var status: ProtectionStatus? {
    get async throws {
      let now = TimeMark(wall: wall.now, sinceBoot: clock.now, boot: "one")
      return try await store.read().registrations.first?.protection?.attempts.status(at: now)
    }
  }
}

/// A person who enters values in order, then cancels, and remembers every context.
final class Person: SecretEnroller, SecretVerifier, SecretChanger {
  private struct State {
    var entries: [String]
    var enrolments: [SecretEnrolment] = []
    var contexts: [SecretVerification] = []
    var accepted = 0
  }

  private let pinPolicy: PinPolicy
  private let passwordPolicy: any EntryPolicy
  private let state: Mutex<State>

  /// - Parameter entries: Values; for a change `old>new`.
  init(entries: [String], pinPolicy: PinPolicy = .standard, passwordPolicy: any EntryPolicy = PasswordRules.standard) {
    state = Mutex(State(entries: entries))
    self.pinPolicy = pinPolicy
    self.passwordPolicy = passwordPolicy
  }

  var contexts: [SecretVerification] { state.withLock { $0.contexts } }
  var enrolments: [SecretEnrolment] { state.withLock { $0.enrolments } }
  var acceptedCount: Int { state.withLock { $0.accepted } }
  var refusals: [EntryRefusal?] { contexts.map(\.lastRecoverableError) + enrolments.map(\.lastRecoverableError) }

  func policy(for kind: SecretKind) -> (any EntryPolicy)? { kind == .pin ? pinPolicy : passwordPolicy }

  func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret {
    state.withLock { $0.enrolments.append(context) }
    return EnteredSecret(try next())
  }

  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    state.withLock { $0.contexts.append(context) }
    return EnteredSecret(try next())
  }

  func change(_ context: SecretVerification) async throws(InteractionCancelled) -> SecretChange {
    state.withLock { $0.contexts.append(context) }
    let parts = try next().split(separator: ">", omittingEmptySubsequences: false)
    return SecretChange(old: EnteredSecret(String(parts[0])), new: EnteredSecret(String(parts[1])))
  }

  func validCredentialsProvided(_ context: SecretVerification) async { state.withLock { $0.accepted += 1 } }

  private func next() throws(InteractionCancelled) -> String {
    let entry = state.withLock { $0.entries.isEmpty ? nil : $0.entries.removeFirst() }
    guard let entry else { throw InteractionCancelled() }
    return entry
  }
}

/// A policy that counts its questions and refuses one value.
final class CountingPolicy: EntryPolicy {
  private let counts = Mutex((enrolment: 0, change: 0))
  private let refused: String

  init(refusing refused: String = "") {
    self.refused = refused
  }

  var enrolmentCount: Int { counts.withLock { $0.enrolment } }
  var changeCount: Int { counts.withLock { $0.change } }

  func check(_ entry: EnteredSecret, isChange: Bool) async throws(EntryRefusal) {
    counts.withLock { if isChange { $0.change += 1 } else { $0.enrolment += 1 } }
    if entry.exposedText() == refused { throw .customValidation("too simple") }
  }
}
