import Ciphers
import ContactlessPayment
import DeviceAuthentication
import Dispatch
import EMVCard
import EMVCryptography
import ISO7816
import Links
import Octets
import Synchronization

/// A payment environment whose obstacle a test sets.
final class Surroundings: PaymentEnvironment {
  private let present: Mutex<PaymentObstacle?>

  init(_ obstacle: PaymentObstacle?) { present = Mutex(obstacle) }

  func obstacle() -> PaymentObstacle? { present.withLock { $0 } }

  func change(to obstacle: PaymentObstacle?) { present.withLock { $0 = obstacle } }
}

/// A link whose reader is missing.
struct FailingLink: EmulationLink {
  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    throw LinkError(.readerUnavailable, "no reader: plug one in")
  }
  func stop() {}
}

/// A link whose terminal arrives when the link is being stopped, and still gets its responses.
final class LateTerminalLink: EmulationLink {
  private let stopped = DispatchSemaphore(value: 0)
  private let given = Mutex<[String]>([])

  /// The status words of the responses to SELECT and GET PROCESSING OPTIONS.
  var statuses: [String] { given.withLock { $0 } }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    stopped.wait()
    responder.fieldChanged(.powered, at: Instant(nanoseconds: 0))
    for command in [Tap.select, Tap.options] {
      let octets = (try? [UInt8](hex: command)) ?? []
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = room.withMutableOctets { responder.respond(to: octets.span, at: Instant(nanoseconds: 0), into: &$0) }
      responder.responseSent()
      given.withLock { $0.append(Array(room[..<count].suffix(2)).hex) }
    }
    responder.fieldChanged(.lost, at: Instant(nanoseconds: 0))
  }

  func stop() { stopped.signal() }
}

/// A device's keys, which cannot be deleted.
struct UndeletableKeys: ProtectedKeyStore {
  let base: any ProtectedKeyStore

  func create(_ kind: ProtectedKeyKind, counting: Bool) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    try await base.create(kind, counting: counting)
  }
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess { try await base.access(key) }
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret { try await base.unseal(key) }
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.publicKey(of: key)
  }
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    try await base.sign(digest, with: key)
  }
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) {
    throw .unavailable(reason: "the key store is locked")
  }
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? {
    try await base.counter(of: key)
  }
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? {
    try await base.advanceCounter(of: key, from: value)
  }
}

/// A store with one fault.
struct FaultyStore: WalletStore {
  enum Fault { case cannotBeRead, keepsNoDefault, keepsNoCardState, givesTooManyCounters, cannotBeWiped }

  private static func key() -> TripleDESKeys {
    TripleDESKeys(count: 1) { _ in Secret(copying: [UInt8](repeating: 1, count: 16)) }
  }

  let base = InMemoryWalletStore()
  let fault: Fault

  init(_ fault: Fault) { self.fault = fault }

  func lockCounting() throws(WalletStoreError) -> CountingLock? { try base.lockCounting() }
  func setCounting(_ counting: WalletBinding.Counting) throws(WalletStoreError) { try base.setCounting(counting) }
  func countWithdrawals() throws(WalletStoreError) { try base.countWithdrawals() }
  func correctDate(to date: WallTime) throws(WalletStoreError) { try base.correctDate(to: date) }
  func binding() throws(WalletStoreError) -> WalletBinding? { try base.binding() }
  func bind(to binding: WalletBinding, dataKey: borrowing Secret) throws(WalletStoreError) {
    try base.bind(to: binding, dataKey: dataKey)
  }
  func unlock(with dataKey: borrowing Secret) throws(WalletStoreError) { try base.unlock(with: dataKey) }
  func cards() throws(WalletStoreError) -> [DigitalCard] {
    if fault == .cannotBeRead { throw .storage("the disk does not respond") }
    return try base.cards()
  }
  func add(
    _ id: String, _ image: CardImage, keys: [PaymentKeys], threshold: Int, issuer: String?, signingKey: CardSigningKey?
  ) throws(WalletStoreError) {
    try base.add(id, image, keys: keys, threshold: threshold, issuer: issuer, signingKey: signingKey)
  }
  func addKeys(_ keys: [PaymentKeys], to id: String) throws(WalletStoreError) { try base.addKeys(keys, to: id) }
  func removeKeys(of id: String, below counters: [Int]) throws(WalletStoreError) {
    try base.removeKeys(of: id, below: counters)
  }
  func apply(_ action: CardAction, to id: String) throws(WalletStoreError) { try base.apply(action, to: id) }
  func setState(_ state: DigitalCard.State, of id: String) throws(WalletStoreError) { try base.setState(state, of: id) }
  func applyScript(_ changes: [CardStateChange], toCard number: Int64) throws(WalletStoreError) {
    if fault == .keepsNoCardState { throw .full("the wallet") }
    try base.applyScript(changes, toCard: number)
  }
  func setDefault(_ id: String) throws(WalletStoreError) {
    if fault == .keepsNoDefault { throw .full("the wallet") }
    try base.setDefault(id)
  }
  func setCustomDirectory(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setCustomDirectory(octets, of: id)
  }
  func setWalletData(_ octets: [UInt8]?, of id: String) throws(WalletStoreError) {
    try base.setWalletData(octets, of: id)
  }
  func delete(_ id: String) throws(WalletStoreError) { try base.delete(id) }
  func reserve(_ id: String) throws(WalletStoreError) -> ReservedUses {
    let uses = try base.reserve(id)
    guard fault == .givesTooManyCounters else { return uses }
    let (name, counters) = (uses.id, uses.counters)
    return ReservedUses(id: name, counters: counters + [7], keys: Self.key())
  }
  func settle(
    _ reservation: ReservationID, spent: Set<Int>, counting outcome: OfflineOutcome
  ) throws(WalletStoreError) {
    try base.settle(reservation, spent: spent, counting: outcome)
  }
  func wipe(isKeyLost: Bool) throws(WalletStoreError) {
    if fault == .cannotBeWiped { throw .full("the wallet") }
    try base.wipe(isKeyLost: isKeyLost)
  }
  func isKeyLost() throws(WalletStoreError) -> Bool { try base.isKeyLost() }
}
