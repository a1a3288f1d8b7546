import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import EMVTerminal
import Fixtures
import ISO7816
import Links
import Octets
import PaymentAcceptance
import PaymentSimulation

@testable import tap

enum LossFailure: Error { case noPayment, noSuchExchange, notVerified }

/// A wallet with one shipped card, and a terminal whose host knows it.
struct LossSetup: Sendable {
  static let uses = 5

  let clock = ManualClock()
  let journal = CounterJournal()
  private let store: InMemoryWalletStore
  private let wallet: Wallet
  let issuer: TestIssuerHost

  init(card: String) async throws {
    store = InMemoryWalletStore()
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, clock: clock, random: SeededRandomSource(seed: 1))
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    issuer = TestIssuerHost(knowing: [image])
    try await wallet.configure(.biometricOnly)
    let provisioning = TestIssuerProvisioning(uses: Self.uses)
    try await wallet.add(
      "card", image, keys: provisioning.keys(for: image), signingKey: provisioning.signingKey(for: image))
  }

  func usesLeft() throws -> Int { try store.cards()[0].paymentsLeft }

  /// A session that is verified and armed.
  func armed(
    limits: SessionLimits = .standard
  ) async throws -> (session: ContactlessPaymentSession, log: LossLog) {
    let session = try await wallet.makePaymentSession(limits: limits)
    let log = LossLog(session)
    await session.startPayment()
    guard await log.next() == "authenticationRequired", case .authenticationRequired(let action)? = log.last else {
      throw LossFailure.notVerified
    }
    await action.proceed()
    guard await log.next() == "authenticationCompleted" else { throw LossFailure.notVerified }
    return (session, log)
  }

  /// An armed session on a loopback.
  func present(
    losingWithin exchange: Int? = nil
  ) async throws -> (session: ContactlessPaymentSession, log: LossLog, link: LossyLink<Loopback>) {
    let (session, log) = try await armed()
    let link = LossyLink(Loopback(clock: clock), journal: journal, within: exchange)
    try await session.startEmulation(on: link)
    return (session, log, link)
  }

  /// Takes 12.34 EUR with one tap, on a thread of its own.
  func tap(
    at loopback: Loopback, cut: Cut? = nil, act: @escaping @Sendable (inout LoopbackChannel) -> Void = { _ in }
  ) async throws -> Result<PaymentReceipt, AcceptanceFailure> {
    let terminal = PaymentAcceptance(
      configuration: try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json")), host: issuer,
      clock: clock, random: SeededRandomSource(seed: 2))
    // swift-format-ignore: NeverForceUnwrap
    let request = PaymentRequest(
      amount: try Amount("12.34", exponent: 2), currency: terminal.configuration.currency("EUR")!,
      date: TransactionDate(year: 2026, month: 11, day: 20)!, time: TransactionTime(hour: 9, minute: 5, second: 59)!)
    return try await DedicatedThread(named: "terminal") { () throws(LinkError) in
      var channel = CutChannel(try loopback.connect(timeout: .seconds(600)), cut: cut, act: act)
      let result = Self.result(request, at: terminal, over: &channel)
      channel.close()
      return result
    }.value()
  }

  private static func result<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, at terminal: PaymentAcceptance, over channel: inout Channel
  ) -> Result<PaymentReceipt, AcceptanceFailure> {
    do throws(AcceptanceFailure) {
      return .success(try terminal.accept(request, over: &channel))
    } catch { return .failure(error) }
  }

  /// Takes the card off its link and waits for its thread.
  func end(_ session: ContactlessPaymentSession) async {
    await session.cancel()
    await session.finished()
  }
}

/// Reads a session's events one by one and keeps their names.
final class LossLog: @unchecked Sendable {
  // @unchecked: a test reads its events from one task at a time.
  private var iterator: AsyncStream<ContactlessPaymentSession.Event>.AsyncIterator
  private(set) var names: [String] = []
  private(set) var events: [ContactlessPaymentSession.Event] = []
  private(set) var last: ContactlessPaymentSession.Event?

  init(_ session: ContactlessPaymentSession) { iterator = session.events.makeAsyncIterator() }

  func next() async -> String? {
    last = await iterator.next(isolation: nil)
    guard let last else { return nil }
    events.append(last)
    let name =
      switch last {
      case .authenticationRequired: "authenticationRequired"
      case .authenticationCompleted: "authenticationCompleted"
      case .posConnected: "posConnected"
      case .posDisconnected: "posDisconnected"
      case .transactionCompleted: "transactionCompleted"
      case .errorEncountered(let error, _): "errorEncountered(\(error.name))"
      }
    names.append(name)
    return name
  }

  /// Reads up to and with an event, or to the end.
  func read(until name: String) async {
    while let next = await next(), next != name {}
  }

  func drain() async -> [String] {
    while await next() != nil {}
    return names
  }
}

extension String {
  /// Whether this is the name of an event that ends a session.
  var isTerminalEvent: Bool { self == "transactionCompleted" || hasPrefix("errorEncountered") }
}
