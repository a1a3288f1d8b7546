import ContactlessPayment
import DeviceAuthentication
import EMVCard
import ISO7816
import Links
import Octets
import Testing

@Suite("The rules of a session", .timeLimit(.minutes(60)))
struct SessionRuleTests {
  @Test func `an obstacle that appears after a cryptogram prevents the further use`() async throws {
    let surroundings = Surroundings(nil)
    let test = try await TestWallet(environment: surroundings)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    surroundings.change(to: .unsafeDevice("watched"))
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(deviceEnvironmentUnsafe)")
    #expect(log.spent.map(\.transactionCounter) == [1])
    await session.finished()
    #expect(try await test.paymentsLeft() == 4)
  }

  @Test func `a card that takes the name of the chosen one during the verification does not pay`() async throws {
    let test = try await TestWallet()
    let session = try await test.wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment()
    // Another process that shares the store replaces the card by one with the same image.
    try test.store.delete("card")
    try test.store.add("card", test.image, keys: TestWallet.keys(for: test.image, uses: 5))
    await log.proceed()
    #expect(log.names.last == "errorEncountered(sessionInvalidated)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  @Test func `a card that takes the name of the chosen one after a cryptogram gets no further use`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    try test.store.delete("card")
    try test.store.add("card", test.image, keys: TestWallet.keys(for: test.image, uses: 5))
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(sessionInvalidated)")
    await session.finished()
    #expect(try await test.paymentsLeft() == 5)
  }

  /// A SELECT and whether a tap with it alone shows that the terminal takes no card of this wallet.
  static let selections: [(select: String, counts: Bool)] = [
    ("00A4040007A000000004101000", true),  // Mastercard
    ("00A4040007A000000333010100", true),  // UnionPay
    ("00A4040007A000000025010000", true),  // American Express
    ("00A4040005A00000000400", true),  // the provider alone
    ("00A4040007A000000476D00100", false),  // a registered name that does not pay
    ("00A4040009A00000030800001000", false),  // PIV
    ("00A4040008A000000647AF000100", false),  // FIDO UAF
    ("00A404000A4F53452E5641532E303100", false),  // OSE.VAS.01
    ("00A4040004A000000400", false),  // shorter than the name of a provider
    ("00A4040007A0000000031010", false),  // found
  ]

  @Test(arguments: selections.indices)
  func `a missed selection ends the session only when it is that of a payment application`(_ row: Int) async throws {
    let (select, counts) = Self.selections[row]
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([select], over: loopback)
    await log.next()
    #expect(await log.next() == (counts ? "errorEncountered(posNotSupported)" : "posDisconnected"))
    await session.cancel()
    await session.finished()
  }

  @Test(arguments: [Int.min, -1, 0, 1, 65_535, 65_536, Int.max])
  func `the uses of a key are limited to the counters that there are`(_ uses: Int) async throws {
    let test = try await TestWallet()
    let bounded = min(max(uses, 0), 65_535)
    let keys = TestWallet.keys(for: test.image, uses: uses)
    #expect(keys.map(\.uses) == [bounded])
    try await test.wallet.add("other", test.image, keys: keys)
    #expect(try await test.wallet.cards().last?.paymentsLeft == bounded)
  }

  @Test func `a wipe that fails under an invalid key says so in the error`() async throws {
    for (store, failure) in [
      (FaultyStore(.cannotBeWiped) as any WalletStore, WalletError.store(.full("the wallet"))),
      (InMemoryWalletStore(), nil),
    ] {
      let test = try await TestWallet(store: store)
      test.device.disableLockScreen()
      let (session, log) = try await test.armedSession()
      await session.finished()
      guard case .authenticationKeyInvalidated(_, let wipeFailure)? = log.lastFailure else {
        Issue.record("\(log.names)")
        continue
      }
      #expect(wipeFailure == failure)
      let text = "\(log.lastFailure.map { "\($0)" } ?? "")"
      #expect(text.contains("all cards were removed") == (failure == nil))
      #expect(text.contains("no space is left") == (failure != nil))
    }
  }
}
