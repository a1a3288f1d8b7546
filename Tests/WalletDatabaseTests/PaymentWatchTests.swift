@testable import ContactlessPayment
import DeviceAuthentication
import Dispatch
import EMVCard
import Fixtures
import Foundation
import ISO7816
import Links
import Octets
import PaymentSupport
import TestSupport
import Testing
import WalletDatabase

/// A wallet in a folder with a device in a file, which a second wallet on both changes, as another process does.
private struct WatchedWallet {
  let scratch: Scratch
  let folder: String
  let device: StoredDevice
  let wallet: Wallet
  let other: Wallet
  let otherDevice: StoredDevice
  let image: CardImage

  /// - Parameter clock: The clock of the wallet.
  init(clock: any MonotonicClock = SystemClock()) async throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
    device = try StoredDevice(path: scratch.path("device"))
    try device.apply([.setPasscode, .enrolBiometric])
    wallet = Wallet(store: try SQLiteWalletStore(directory: folder), device: device.ports, clock: clock)
    try await wallet.configure(.biometricOnly)
    image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    try await wallet.add("card", image, keys: TestCard.keys(for: image, uses: 9))
    otherDevice = try StoredDevice(path: scratch.path("device"))
    other = Wallet(store: try SQLiteWalletStore(directory: folder), device: otherDevice.ports)
    try await other.configure(.biometricOnly)
  }

  var file: String { folder + "/" + SQLiteWalletStore.fileName }

  /// Stores a script of the issuer that another process has brought.
  func block(_ changes: [CardStateChange]) async throws {
    let store = try SQLiteWalletStore(directory: folder)
    let key = try #require(try store.binding()).key
    try store.unlock(with: await otherDevice.ports.keys.unseal(key.identifier))
    try store.applyScript(changes, toCard: store.cards()[0].number)
  }

  func cardCount() throws -> Int { try SQLiteWalletStore(directory: folder).cardCount() }
}

/// A change that another process makes.
private enum ForeignChange: String, CaseIterable {
  case suspend, retire, deactivate, delete, replace, reset, removeStore, replaceStore
  case blockApplication, blockCard
  case removeLock, removeLockForAMoment, deleteKey, removeDevice, removeBiometrics

  var code: ContactlessPaymentSession.Error.Code {
    switch self {
    case .suspend, .retire, .deactivate, .blockCard: .cardNotActive
    case .delete, .replace, .reset, .removeStore, .replaceStore, .blockApplication: .sessionInvalidated
    case .removeLock, .removeLockForAMoment, .deleteKey: .authenticationKeyInvalidated
    case .removeDevice: .unavailable
    case .removeBiometrics: .biometricNotEnrolled
    }
  }

  /// Makes the change. Returns what undoes it once the session has ended.
  func make(on test: WatchedWallet) async throws -> (() throws -> Void)? {
    switch self {
    case .suspend: try await test.other.suspend("card")
    case .retire: try await test.other.retire("card")
    case .deactivate: try await test.other.setState(.inactive, of: "card")
    case .blockApplication: try await test.block([.blockApplication(0)])
    case .blockCard: try await test.block([.blockCard])
    case .delete: try await test.other.delete("card")
    case .replace:
      try await test.other.delete("card")
      try await test.other.add("card", test.image, keys: TestCard.keys(for: test.image, uses: 9))
    case .reset: try await test.other.reset()
    case .removeStore: try FileManager.default.removeItem(atPath: test.file)
    case .replaceStore:
      let copy = test.scratch.path("copy")
      try FileManager.default.copyItem(atPath: test.file, toPath: copy)
      try #require(rename(copy, test.file) == 0)
    case .removeLock: try test.otherDevice.apply(.disableLockScreen)
    case .removeLockForAMoment: try test.otherDevice.apply([.disableLockScreen, .setPasscode, .enrolBiometric])
    case .deleteKey:
      let key = try #require(try SQLiteWalletStore(directory: test.folder).binding()).key.identifier
      try await test.otherDevice.ports.keys.delete(key)
    case .removeBiometrics: try test.otherDevice.apply(.removeAllBiometrics)
    case .removeDevice:
      let (path, aside) = (test.device.path, test.scratch.path("aside"))
      try #require(rename(path, aside) == 0)
      return { try #require(rename(aside, path) == 0) }
    }
    return nil
  }
}

/// How far a payment is when the change comes.
private enum Stage: CaseIterable {
  /// The card is armed and on no link; on a link without a terminal; selected; has given a cryptogram; has given one and
  /// was reset; has paid.
  case armed, presented, selected, cryptogram, reset, paid

  /// How many commands of the tap were sent.
  var commands: Int? {
    switch self {
    case .armed, .presented: 0
    case .selected: 2
    case .cryptogram, .reset: 3
    case .paid: nil
    }
  }
}

/// A terminal at a loopback that sends a part of a tap, waits, and begins again.
private final class PatientTerminal: Sendable {
  private let reached = DispatchSemaphore(value: 0)
  private let resumed = DispatchSemaphore(value: 0)
  private let run: DedicatedThread<[String], Never>

  init(_ loopback: Loopback, at stage: Stage, _ commands: [[UInt8]]) {
    run = DedicatedThread(named: "terminal") { [reached, resumed] in
      var responses: [String] = []
      do throws(LinkError) {
        var channel = try loopback.connect(timeout: .seconds(600))
        try Self.send(commands.prefix(stage.commands ?? commands.count), over: &channel, &responses)
        if stage == .reset { channel.reset() }
        reached.signal()
        resumed.wait()
        channel.reset()
        try Self.send(commands[...], over: &channel, &responses)
      } catch {
        reached.signal()
      }
      return responses
    }
  }

  private static func send(
    _ commands: ArraySlice<[UInt8]>, over channel: inout LoopbackChannel, _ responses: inout [String]
  ) throws(LinkError) {
    for command in commands {
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = try room.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(command.span, into: &room)
      }
      responses.append(Array(room[..<count]).hex)
    }
  }

  /// Waits until the first part is answered.
  func stopped() async { await DedicatedThread(named: "wait") { [reached] in reached.wait() }.value() }

  /// Sends the whole tap again. Returns all responses.
  func goOn() async -> [String] {
    resumed.signal()
    return await run.value()
  }
}

@Suite("A payment with an armed card, and other processes", .timeLimit(.minutes(60)))
struct PaymentWatchTests {
  private static let commands = CardTap.shipped.first { $0.card == "visa-cvn18" }.map(\.commands) ?? []

  @Test(arguments: ForeignChange.allCases, Stage.allCases)
  fileprivate func `a change by another process disarms the card and ends the session, unless it has paid`(
    _ change: ForeignChange, _ stage: Stage
  ) async throws {
    // A block marks reservations: a use that is spent has none, and the next one brings the block to the card.
    guard change != .blockApplication || stage != .reset else { return }
    let test = try await WatchedWallet()
    let session = try await test.wallet.makePaymentSession(limits: SessionLimits(linger: .seconds(600)))
    let events = Events(session)
    await session.startPayment()
    await events.untilArmed()
    let loopback = Loopback()
    var terminal: PatientTerminal?
    if stage != .armed { try await session.startEmulation(on: loopback) }
    if stage.commands != 0 {
      terminal = PatientTerminal(loopback, at: stage, try Self.commands.map { try [UInt8](hex: $0) })
      await terminal?.stopped()
    }
    // A session that has paid has sent its last event.
    if stage == .paid { await events.untilEnd() }
    let undo = try await change.make(on: test)
    await events.untilEnd()
    let cryptograms = CardTap.cryptograms(in: await terminal?.goOn() ?? [])
    if stage == .paid { loopback.stop() }
    try undo?()
    await session.finished()
    switch events.last {
    case .transactionCompleted: #expect(stage == .paid)
    case .errorEncountered(let error, let spent):
      #expect(error.code == change.code, "\(error)")
      #expect(stage != .paid)
      #expect(spent.map(\.transactionCounter) == ([.cryptogram, .reset].contains(stage) ? [1] : []))
    default: Issue.record("the session has no last event")
    }
    #expect(cryptograms.count == ((stage.commands ?? 3) > 2 ? 1 : 0))
    if stage != .paid, change.code == .authenticationKeyInvalidated { #expect(try test.cardCount() == 0) }
    if [.unavailable, .cardNotActive, .biometricNotEnrolled].contains(change.code) {
      #expect(try test.cardCount() == 1)
    }
  }

  @Test(arguments: ForeignChange.allCases.filter { $0.code != .unavailable })
  fileprivate func `a change by another process disarms the card within 100 ms`(_ change: ForeignChange) async throws {
    let clock = ManualClock()
    let test = try await WatchedWallet(clock: clock)
    let session = try await test.wallet.makePaymentSession()
    let events = Events(session)
    await session.startPayment()
    await events.untilArmed()
    let watch = try #require(await session.rights?.watch)
    // The store and the device were read at the arming.
    await watch.settled()
    _ = try await change.make(on: test)
    let start = clock.now
    while !session.exchange.isRevoked, clock.now - start < .seconds(1) {
      clock.advance(by: .milliseconds(1))
      // The reading that was due has ended.
      await watch.settled()
    }
    #expect(clock.now - start <= .milliseconds(100))
    await session.cancel()
    await events.untilEnd()
    await session.finished()
  }

  @Test func `keys, other cards, reservations, counters, another passcode and another finger do not disturb a payment`()
    async throws
  {
    let test = try await WatchedWallet()
    let session = try await test.wallet.makePaymentSession()
    let events = Events(session)
    await session.startPayment()
    await events.untilArmed()
    let loopback = Loopback()
    try await session.startEmulation(on: loopback)
    let store = try SQLiteWalletStore(directory: test.folder)
    let key = try #require(try store.binding()).key
    try store.unlock(with: await test.otherDevice.ports.keys.unseal(key.identifier))
    try store.addKeys(TestCard.keys(for: test.image, uses: 9, firstCounter: 20).map(PaymentKeys.limitedUse), to: "card")
    try await test.other.add("other", test.image, keys: TestCard.keys(for: test.image, uses: 9))
    try await test.other.suspend("other")
    try await test.other.delete("other")
    for _ in 0..<3 {
      let uses = try await test.other.reserve("card")
      let id = uses.id
      test.other.settle(Settlement(id: id, spent: [0]))
      await test.other.settled()
    }
    try test.otherDevice.apply([.changePasscode, .enrolBiometric])
    // Time for several readings of the store and of the device.
    try await Task.sleep(for: PaymentWatch.interval * 8)
    let terminal = PatientTerminal(loopback, at: .paid, try Self.commands.map { try [UInt8](hex: $0) })
    await terminal.stopped()
    await events.untilEnd()
    if case .transactionCompleted = events.last {} else { Issue.record("\(String(describing: events.last))") }
    loopback.stop()
    _ = await terminal.goOn()
    await session.finished()
  }

  @Test func `a wallet that another process sets up again keeps its new cards when the old key is lost`() async throws {
    let test = try await WatchedWallet()
    try await test.other.reset()
    try await test.other.configure(.biometricOnly)
    try await test.other.add("card", test.image, keys: TestCard.keys(for: test.image, uses: 9))
    let session = try await test.wallet.makePaymentSession()
    #expect(await test.wallet.loss(ofKeyOf: session.generation).code == .sessionInvalidated)
    #expect(await test.wallet.wipe(forKeyOf: session.generation) == nil)
    #expect(try await test.other.cards().count == 1)
  }
}

/// Reads the events of one session.
private final class Events: @unchecked Sendable {
  // @unchecked: one task reads.
  private var iterator: AsyncStream<ContactlessPaymentSession.Event>.AsyncIterator
  private(set) var last: ContactlessPaymentSession.Event?

  init(_ session: ContactlessPaymentSession) { iterator = session.events.makeAsyncIterator() }

  private func next() async -> Bool {
    guard let event = await iterator.next(isolation: nil) else { return false }
    last = event
    return true
  }

  /// Lets the cardholder verify and reads the result.
  func untilArmed() async {
    guard await next() else { return }
    if case .authenticationRequired(let action)? = last { await action.proceed() }
    _ = await next()
  }

  func untilEnd() async { while await next() {} }
}
