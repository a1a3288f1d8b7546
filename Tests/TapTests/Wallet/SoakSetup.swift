import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVTerminal
import Fixtures
import Links
import NFCReader
import Octets
import PaymentAcceptance
import ReaderSimulator
import TestSupport
import WalletDatabase
import PaymentSimulation

@testable import tap

/// What a soak found wrong: a sentence.
struct SoakFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A wallet on disk behind one chip, a terminal behind the other, and a field between them that may fail.
final class SoakSetup: Sendable {
  static let cards = ["visa-cvn18", "mastercard-cvn16"]
  /// For each card, more than a soak takes.
  static let uses = 20_000

  let simulator: ReaderSimulator
  private let chips: DedicatedThread<Void, LinkError>
  private let reader: NFCDevice
  private let target: NFCDevice
  private let scratch: Scratch
  private let store: SQLiteWalletStore
  private let wallet: Wallet
  private let terminal: PaymentAcceptance
  private let request: PaymentRequest
  private let journals: [String: CounterJournal]

  /// Opens everything. Waiting times are those of a chip divided by 16: a lost frame costs ten milliseconds.
  init(seed: UInt64) async throws {
    let simulator = try ReaderSimulator(.pair, timing: FieldTiming(waitingTimeDivisor: 16))
    self.simulator = simulator
    chips = DedicatedThread(named: "chips") { () throws(LinkError) in try simulator.run() }
    reader = try NFCDevice(simulator.connstrings[0])
    target = try NFCDevice(simulator.connstrings[1])
    scratch = try Scratch()
    store = try SQLiteWalletStore(directory: scratch.path("wallet"))
    let device = SimulatedDevice(user: .approve)
    device.setPasscode("1234")
    device.enrolBiometric()
    wallet = Wallet(store: store, device: device.ports, random: SeededRandomSource(seed: seed))
    try await wallet.configure(.biometricOnly)
    let images = try Self.cards.map { try CardImage(json: [UInt8](Fixtures.data("Cards/\($0).json"))) }
    let provisioning = TestIssuerProvisioning(uses: Self.uses)
    for (name, image) in zip(Self.cards, images) {
      try await wallet.add(name, image, keys: provisioning.keys(for: image))
    }
    let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
    terminal = PaymentAcceptance(
      configuration: configuration, host: TestIssuerHost(knowing: images), clock: SystemClock(),
      random: SeededRandomSource(seed: seed &+ 1))
    request = try PaymentOrder(amount: "12.34", currency: "978").request(at: configuration)
    journals = Dictionary(uniqueKeysWithValues: Self.cards.map { ($0, CounterJournal()) })
  }

  deinit {
    simulator.stop()
    _ = try? chips.join(timeout: .seconds(20))
  }

  // MARK: The card's side

  /// A session whose holder is verified, with its card in the field.
  func present(_ card: String) async throws -> (session: ContactlessPaymentSession, log: LossLog) {
    // A second would be nearly the whole time of a tap.
    let session = try await wallet.makePaymentSession(limits: SessionLimits(linger: .milliseconds(200)))
    let log = LossLog(session)
    await session.startPayment(withDigitalCardID: card)
    guard await log.next() == "authenticationRequired", case .authenticationRequired(let action)? = log.last else {
      throw SoakFailure("no verification was asked for: \(log.names)")
    }
    await action.proceed()
    guard await log.next() == "authenticationCompleted", let journal = journals[card] else {
      throw SoakFailure("the holder was not verified: \(log.names)")
    }
    try await session.startEmulation(on: LossyLink(NFCLink(target), journal: journal))
    return (session, log)
  }

  /// Compares what the card computed with what its store thinks of it.
  ///
  /// - Returns: The last counter with which a cryptogram was computed.
  func checkedCounter(of card: String) throws -> UInt16? {
    let counters = journals[card]?.counters ?? []
    guard zip(counters, counters.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw SoakFailure("\(card): a use was taken again: counters \(counters.suffix(5))")
    }
    let left = try store.cards().first { $0.id == card }?.paymentsLeft
    guard left == Self.uses - counters.count else {
      throw SoakFailure("\(card): \(left ?? -1) payments left after \(counters.count) cryptograms of \(Self.uses)")
    }
    return counters.last
  }

  // MARK: The terminal's side

  /// The result of one tap at the terminal.
  enum Tap: Sendable {
    case approved(counter: UInt16)
    /// The card left, or was late, before its last response.
    case torn(LinkError.Code)
    /// The card answered, but did not pay: why.
    case refused(String)
    /// Nothing was found in the field.
    case noCard
  }

  /// Waits for a card and takes 12.34 EUR. Blocks.
  func tap() throws(SoakFailure) -> Tap {
    let channel: NFCChannel
    do throws(LinkError) {
      channel = try NFCChannel(reader, timeout: .seconds(5), responseTimeout: .seconds(3))
    } catch {
      guard error.code == .timedOut else { throw SoakFailure("looking for a card: \(error.code), \(error)") }
      return .noCard
    }
    return try take(channel)
  }

  private func take(_ channel: consuming NFCChannel) throws(SoakFailure) -> Tap {
    let receipt: PaymentReceipt
    do throws(AcceptanceFailure) {
      receipt = try terminal.accept(request, over: &channel)
    } catch {
      guard let code = error.linkError?.code, [.cardRemoved, .timedOut, .transmissionFailed].contains(code) else {
        throw SoakFailure("the terminal: \(error)")
      }
      return .torn(code)
    }
    guard receipt.outcome.kind == .approved else {
      return .refused("\(receipt.outcome.kind), \(receipt.failures.map { "\($0)" })")
    }
    guard let counter = receipt.outcome.authorizationRequest?.transactionCounter else {
      throw SoakFailure("an approval without a cryptogram")
    }
    return .approved(counter: counter)
  }
}
