import DeviceAuthentication
import Dispatch
import EMVCard
import Links
import Octets
import Testing

@testable import ContactlessPayment

/// Device keys whose first access waits for the test and then reports that the lock was removed.
private final class GatedKeys: ProtectedKeyStore {
  let base: any ProtectedKeyStore
  let reached = DispatchSemaphore(value: 0)
  let gate = DispatchSemaphore(value: 0)

  init(_ base: any ProtectedKeyStore) { self.base = base }

  func create(_ kind: ProtectedKeyKind, counting: Bool) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try await base.create(kind, counting: counting)
  }
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess {
    reached.signal()
    // Not a wait that the cancellation of the task ends.
    await DedicatedThread(named: "gate") { [gate] in gate.wait() }.value()
    return .invalidated(.keyGone)
  }
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret { try await base.unseal(key) }
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.publicKey(of: key)
  }
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.sign(digest, with: key)
  }
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try await base.counter(of: key)
  }
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try await base.advanceCounter(of: key, from: value)
  }
}

@Suite("A session and the reset of its wallet", .timeLimit(.minutes(60)))
struct SessionGenerationTests {
  private func resetAndSetUp(_ test: TestWallet, _ policy: CardholderVerificationPolicy) async throws {
    try await test.wallet.reset()
    try await test.wallet.configure(policy)
    try await test.wallet.add("card", test.image, keys: TestWallet.keys(for: test.image, uses: 5))
  }

  @Test(arguments: CardholderVerificationPolicy.allCases, CardholderVerificationPolicy.allCases)
  func `a session from before a reset does not start after it, under no policy`(
    _ before: CardholderVerificationPolicy, _ after: CardholderVerificationPolicy
  ) async throws {
    let test = try await TestWallet(policy: before)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    try await resetAndSetUp(test, after)
    await session.startPayment()
    await session.cancel()
    #expect(await log.drain() == ["errorEncountered(sessionInvalidated)"])
    #expect(test.device.promptCount(.biometric) + test.device.promptCount(.passcode) == 0)
    #expect(try await test.paymentsLeft() == 5)
    #expect(!test.wallet.slot.isTaken)
  }

  @Test(arguments: CardholderVerificationPolicy.allCases)
  func `a reset while a prompt is open closes it, and the session arms nothing`(
    _ policy: CardholderVerificationPolicy
  ) async throws {
    let test = try await TestWallet(policy: policy, user: .neverAnswers)
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    guard case .authenticationRequired(let action)? = log.last else { return }
    let proceeding = Task { await action.proceed() }
    while test.device.openPrompt == nil { await Task.yield() }
    try await resetAndSetUp(test, policy)
    await proceeding.value
    #expect(await log.drain() == ["authenticationRequired", "errorEncountered(sessionInvalidated)"])
    #expect(test.device.openPrompt == nil)
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `a session that was started before a reset arms nothing when its cardholder verifies after it`()
    async throws
  {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    guard case .authenticationRequired(let action)? = log.last else { return }
    try await resetAndSetUp(test, .userPresence)
    await action.proceed()
    #expect(await log.drain() == ["authenticationRequired", "errorEncountered(sessionInvalidated)"])
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `an invalid key of a former generation does not wipe the wallet`() async throws {
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    let (store, ports) = (InMemoryWalletStore(), device.ports)
    let keys = GatedKeys(ports.keys)
    let wallet = Wallet(
      store: store,
      device: DevicePorts(biometric: ports.biometric, passcode: ports.passcode, lock: ports.lock, keys: keys),
      clock: ManualClock())
    let image = try await TestWallet().image
    try await wallet.configure(.userPresence)
    try await wallet.add("card", image, keys: TestWallet.keys(for: image, uses: 1))
    let session = try await wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    await log.next()
    guard case .authenticationRequired(let action)? = log.last else { return }
    let proceeding = Task { await action.proceed() }
    await DedicatedThread(named: "reached") { keys.reached.wait() }.value()
    try await wallet.reset()
    try await wallet.configure(.biometricOnly)
    try await wallet.add("card", image, keys: TestWallet.keys(for: image, uses: 1))
    keys.gate.signal()
    await proceeding.value
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await session.finished()
    #expect(try store.cards().count == 1)
  }
}
