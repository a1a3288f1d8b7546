import DeviceAuthentication
import Octets
import TestSupport
import Testing

@Suite("The rules of protected keys")
struct KeyRulesTests {
  /// What happens between the creation of the key and its next use.
  enum Event: CaseIterable {
    case nothing, lockRemoved, lockRemovedAndSetAgain, passcodeChanged, enrolmentAdded, oneOfTwoRemoved, allRemoved
    case allRemovedAndEnrolledAgain, attemptsExhausted, promptClosed
  }

  /// The result of the next use, and of a use after the event was undone as far as the device allows.
  enum Outcome: String {
    case biometric, passcode, lost, notEnrolled, failed, cancelled, pin
  }

  enum Row: String, CaseIterable {
    case biometricOnly, userPresence, uafBiometric, uafInvalidated, uafFallback, uafPasscode, walletLogin

    func rules() throws -> ProtectedKeyRules {
      switch self {
      case .biometricOnly: .cdcvm(.biometricOnly)
      case .userPresence: .cdcvm(.userPresence)
      case .uafBiometric:
        try #require(.uafBiometric(isInvalidatedByNewBiometrics: false, acceptsPasscode: false))
      case .uafInvalidated:
        try #require(.uafBiometric(isInvalidatedByNewBiometrics: true, acceptsPasscode: false))
      case .uafFallback:
        try #require(.uafBiometric(isInvalidatedByNewBiometrics: false, acceptsPasscode: true))
      case .uafPasscode: .uafPasscode
      case .walletLogin: .walletLogin
      }
    }
  }

  /// One column per row of the rules, in the order of `Row`.
  static let table: [(Event, [Outcome])] = [
    (.nothing, [.biometric, .biometric, .biometric, .biometric, .biometric, .passcode, .biometric]),
    (.lockRemoved, [.lost, .lost, .lost, .lost, .lost, .lost, .lost]),
    (.lockRemovedAndSetAgain, [.lost, .lost, .lost, .lost, .lost, .lost, .lost]),
    (.passcodeChanged, [.biometric, .biometric, .biometric, .biometric, .biometric, .passcode, .biometric]),
    (.enrolmentAdded, [.biometric, .biometric, .biometric, .lost, .biometric, .passcode, .lost]),
    (.oneOfTwoRemoved, [.biometric, .biometric, .biometric, .lost, .biometric, .passcode, .lost]),
    (.allRemoved, [.notEnrolled, .passcode, .notEnrolled, .notEnrolled, .passcode, .passcode, .lost]),
    (.allRemovedAndEnrolledAgain, [.biometric, .biometric, .biometric, .lost, .biometric, .passcode, .lost]),
    (.attemptsExhausted, [.failed, .failed, .failed, .failed, .failed, .failed, .pin]),
    (.promptClosed, [.cancelled, .cancelled, .cancelled, .cancelled, .cancelled, .cancelled, .pin]),
  ]

  static let cases = table.flatMap { event, outcomes in zip(Row.allCases, outcomes).map { (event, $0, $1) } }

  @Test(arguments: cases)
  func `every event has the effect of its row`(_ entry: (Event, Row, Outcome)) async throws {
    let (event, row, expected) = entry
    let device = device([.setPasscode, .enrolBiometric, .enrolBiometric])
    let verifier = try await verifier(row.rules(), on: device)
    make(event, on: device)
    #expect(await outcome(verifier) == expected)
    guard expected == .lost else { return }
    device.user = .approve
    device.setPasscode("1234")
    device.enrolBiometric()
    #expect(await outcome(verifier) == .lost, "a lost key stays lost")
    let key = try #require(verifier.key).identifier
    #expect(try await device.ports.keys.access(key) != .usable)
  }

  @Test func `the table has every event and every row`() {
    #expect(Self.table.map(\.0) == Event.allCases)
    #expect(Self.table.allSatisfy { $0.1.count == Row.allCases.count })
  }

  @Test(arguments: Row.allCases)
  func `an added finger changes nothing for CDCVM, is configurable for UAF and deregisters the wallet login`(
    _ row: Row
  ) throws {
    let expected: [Row: ProtectedKeyRules.Reaction] = [.uafInvalidated: .invalidate, .walletLogin: .deregister]
    let rules = try row.rules()
    #expect(rules.reaction(to: .enrolmentChanged) == expected[row] ?? .nothing)
    let lock = KeyInvalidation.lockRemoved(keyEpoch: LockEpoch(rawValue: 0), presentEpoch: LockEpoch(rawValue: 1))
    #expect(rules.reaction(to: lock) == (row.rawValue.hasPrefix("uaf") ? .invalidate : .deregister))
    #expect(rules.reaction(to: .keyGone) == rules.onLockRemoved)
  }

  @Test func `a key bound to the enrolled set cannot accept the passcode`() {
    #expect(ProtectedKeyRules.uafBiometric(isInvalidatedByNewBiometrics: true, acceptsPasscode: true) == nil)
  }

  @Test func `rules without a method and rules that contradict each other trap`() async {
    await #expect(processExitsWith: .failure) { _ = ProtectedKeyRules(methods: [], onLockRemoved: .invalidate) }
    await #expect(processExitsWith: .failure) {
      _ = ProtectedKeyRules(methods: [.biometric], onLockRemoved: .invalidate)
    }
    await #expect(processExitsWith: .failure) {
      _ = ProtectedKeyRules(methods: [.passcode], onLockRemoved: .invalidate, onAllRemoved: .unusable)
    }
    await #expect(processExitsWith: .failure) {
      _ = ProtectedKeyRules(methods: [.passcode], onLockRemoved: .unusable)
    }
  }

  @Test(arguments: [Row.uafInvalidated, .walletLogin])
  func `a device without a digest of its enrolled set creates no key that depends on it`(_ row: Row) async throws {
    let device = device()
    let ports = device.ports.with(StubSensor { () throws(DeviceAuthenticationError) in .matched })
    let verifier = HolderVerifier(rules: try row.rules(), ports: ports, clock: ManualClock())
    let error = await thrown { () throws(DeviceAuthenticationError) in try await verifier.enrolKey(.sealing) }
    #expect(error?.kind == "unavailable")
    #expect(device.keyCount == 0)
  }

  @Test func `a finger added while the prompt is open prevents the verification`() async throws {
    let device = device()
    let sensor = device.ports.biometric
    let ports = device.ports.with(
      StubSensor(state: { () throws(DeviceAuthenticationError) in device.enrolment }) {
        () async throws(DeviceAuthenticationError) in
        device.enrolBiometric()
        return try await sensor.verify(prompt: "p", offeringPasscode: false)
      })
    let unbound = HolderVerifier(rules: .walletLogin, ports: ports, clock: ManualClock())
    #expect(await outcome(unbound.bound(to: try await unbound.enrolKey(.sealing))) == .lost)
  }

  @Test func `rules that delete the key after failed attempts delete it`() async throws {
    let device = device(user: .fail)
    let rules = ProtectedKeyRules(
      methods: [.biometric], onLockRemoved: .deregister, onAllRemoved: .unusable, onAttemptsExhausted: .deregister)
    let verifier = try await verifier(rules, on: device)
    #expect(await outcome(verifier) == .lost)
    #expect(device.keyCount == 0)
  }

  private func verifier(_ rules: ProtectedKeyRules, on device: SimulatedDevice) async throws -> HolderVerifier {
    let unbound = HolderVerifier(rules: rules, ports: device.ports, clock: ManualClock())
    return unbound.bound(to: try await unbound.enrolKey(.sealing))
  }

  private func make(_ event: Event, on device: SimulatedDevice) {
    switch event {
    case .nothing: break
    case .lockRemoved: device.disableLockScreen()
    case .lockRemovedAndSetAgain:
      device.disableLockScreen()
      device.setPasscode("1234")
      device.enrolBiometric()
    case .passcodeChanged: device.changePasscode(to: "0000")
    case .enrolmentAdded: device.enrolBiometric()
    case .oneOfTwoRemoved: device.removeLastBiometric()
    case .allRemoved: device.removeAllBiometrics()
    case .allRemovedAndEnrolledAgain:
      device.removeAllBiometrics()
      device.enrolBiometric()
    case .attemptsExhausted: device.user = .fail
    case .promptClosed: device.user = .cancel
    }
  }

  private func outcome(_ verifier: HolderVerifier) async -> Outcome? {
    do throws(DeviceAuthenticationError) {
      let proof = try await verifier.verify(for: .unsealing, validity: .seconds(1), prompt: "p")
      return proof.method == .biometric ? .biometric : .passcode
    } catch {
      switch error {
      case .authenticationKeyInvalidated: return .lost
      case .biometricNotEnrolled: return .notEnrolled
      case .authenticationFailed: return .failed
      case .cancelled: return .cancelled
      case .fallbackRequested: return .pin
      default: return nil
      }
    }
  }
}
