import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import EMVIssuer
import Fixtures
import Foundation
import ISO7816
import Links
import Octets

/// A configured wallet on a simulated phone, with one shipped card provisioned by the test issuer.
struct TestWallet {
  let clock = ManualClock()
  let device: SimulatedDevice
  let store: any WalletStore
  let wallet: Wallet
  let image: CardImage

  init(
    policy: CardholderVerificationPolicy = .biometricOnly, user: SimulatedUser = .approve, uses: Int = 5,
    card: String = "visa-cvn18", store: any WalletStore = InMemoryWalletStore(),
    environment: any PaymentEnvironment = OpenEnvironment(), hardware: SimulatedDevice.Hardware = .phone,
    cryptogram: (version: Int, cvr: String)? = nil, change: (inout CardProfile) -> Void = { _ in }
  ) async throws {
    self.store = store
    device = SimulatedDevice(hardware: hardware, user: user)
    device.setPasscode("1234")
    device.enrolBiometric()
    wallet = Wallet(
      store: store, device: device.ports, environment: environment, clock: clock, random: SeededRandomSource(seed: 1))
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(card).json")))
    if let cryptogram {
      (profile.applications[0].cryptogram.version, profile.applications[0].cryptogram.cvr) = cryptogram
    }
    change(&profile)
    image = try CardImage(json: profile.json)
    try await wallet.configure(policy)
    try await wallet.add(
      "card", image, keys: Self.keys(for: image, uses: uses).map(PaymentKeys.limitedUse),
      signingKey: Self.signingKey(for: image))
  }

  /// The signing key of a card of the test authority; nil for a card that makes no signatures.
  static func signingKey(for image: CardImage) -> CardSigningKey? {
    guard let application = image.applications.first(where: { $0.signingKey != nil }) else { return nil }
    return CardSigningKey(
      TestAuthority.cardKey(accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber))
  }

  static func keys(for image: CardImage, uses: Int) -> [LimitedUseKey] {
    let issuer = TestIssuer()
    return image.applications.map { application in
      let account = IssuerAccount(
        accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber,
        cryptogramVersion: application.cryptogramVersion)
      return LimitedUseKey(
        masterKey: issuer.cardMasterKey(of: account),
        cvc3Key: application.keyRoles.contains(.dynamicCVC3) ? issuer.cardCVC3Key(of: account) : nil,
        scriptKey: application.takesScripts ? issuer.cardScriptKey(of: account) : nil,
        firstCounter: application.firstATC, uses: uses)
    }
  }

  /// The first transaction counter of an application.
  func firstCounter(of aid: String) -> UInt16 { image.applications.first { "\($0.aid)" == aid }?.firstATC ?? 0 }

  func paymentsLeft() async throws -> Int { try await wallet.cards().first?.paymentsLeft ?? -1 }

  /// Makes the device's key store fail.
  func keyStoreFails() { device.keyStoreError = .unavailable(reason: "the key store does not respond") }

  /// Raises the counter of the device's key, as another wallet did with a newer copy of the store.
  func advanceDeviceCounter() async throws {
    guard let key = try store.binding()?.key.identifier else { return }
    _ = try await device.ports.keys.advanceCounter(of: key, from: device.ports.keys.counter(of: key) ?? 0)
  }

  /// Starts a session and returns its error.
  func startFailure(
    _ id: String?, _ data: WalletTransactionData? = nil
  ) async throws -> ContactlessPaymentSession.Error? {
    let session = try await wallet.makePaymentSession()
    let log = EventLog(session)
    await session.startPayment(withDigitalCardID: id, walletData: data)
    _ = await log.drain()
    await session.finished()
    return log.lastFailure
  }

  /// Returns a session whose cardholder is verified.
  func armedSession(
    limits: SessionLimits = .standard
  ) async throws -> (ContactlessPaymentSession, EventLog) {
    let session = try await wallet.makePaymentSession(limits: limits)
    let log = EventLog(session)
    await session.startPayment()
    await log.proceed()
    return (session, log)
  }
}

/// Reads the events of a session one by one and keeps their names.
final class EventLog: @unchecked Sendable {
  // @unchecked: a test reads its events from one task at a time.
  private var iterator: AsyncStream<ContactlessPaymentSession.Event>.AsyncIterator
  private(set) var names: [String] = []
  private(set) var last: ContactlessPaymentSession.Event?
  private(set) var events: [ContactlessPaymentSession.Event] = []
  /// The error of the session, also after the end of the stream.
  private(set) var lastFailure: ContactlessPaymentSession.Error?
  /// What a session that failed has spent, also after the end of the stream.
  private(set) var spent: [TransactionContext] = []
  /// The facts of the payment, also after the end of the stream.
  private(set) var context: TransactionContext?

  init(_ session: ContactlessPaymentSession) { iterator = session.events.makeAsyncIterator() }

  @discardableResult
  func next() async -> String? {
    last = await iterator.next(isolation: nil)
    guard let last else { return nil }
    events.append(last)
    if case .errorEncountered(let error, let spent) = last { (lastFailure, self.spent) = (error, spent) }
    if case .transactionCompleted(let facts) = last { context = facts }
    names.append(last.testName)
    return last.testName
  }

  /// Reads `authenticationRequired`, lets the cardholder verify and reads the next event.
  func proceed() async {
    await next()
    if case .authenticationRequired(let action)? = last { await action.proceed() }
    await next()
  }

  /// Reads to the end of the stream.
  func drain() async -> [String] {
    while await next() != nil {}
    return names
  }
}

extension ContactlessPaymentSession.Event {
  var testName: String {
    switch self {
    case .authenticationRequired: "authenticationRequired"
    case .authenticationCompleted: "authenticationCompleted"
    case .posConnected: "posConnected"
    case .posDisconnected: "posDisconnected"
    case .transactionCompleted: "transactionCompleted"
    case .errorEncountered(let error, _): "errorEncountered(\(error.name))"
    }
  }
}

/// The commands of a terminal over a loopback, one tap at a time, on a thread of its own.
enum Tap {
  static let options = options()

  /// GET PROCESSING OPTIONS of a Visa card: a purchase of 50.65 euros unless another amount, currency or type is given.
  static func options(amount: String = "000000005065", currency: String = "0978", type: String = "00") -> String {
    "80A80000238321" + "32804000" + amount + "000000000000" + "0276" + "0000000000" + currency + "260131" + type
      + "52BF4585" + "00"
  }
  static let select = "00A4040007A000000003101000"
  static let records = ["00B2010C00", "00B2011C00"]
  static let whole = [select, options] + records

  static let directory = "00A404000E325041592E5359532E444446303100"
  /// A refund of 50.65 euros: SELECT, GET PROCESSING OPTIONS, GENERATE AC for an ARQC.
  static let mastercard = ["00A4040007A000000004101000", "80A8000002830000", generate("80")]
  /// The same, where the terminal declines by itself: GENERATE AC for an AAC.
  static let declined = Array(mastercard.prefix(2)) + [generate("00")]

  private static func generate(_ reference: String) -> String {
    "80AE\(reference)0021" + "000000005065" + "000000000000" + "0276" + "0000000000" + "0978" + "260131" + "20"
      + "52BF4585" + "22" + "010002" + "00"
  }

  /// Sends commands, resets the card if asked, and switches the field off. Returns the responses.
  static func send(_ commands: [String], resets: Bool = false, over loopback: Loopback) async throws -> [String] {
    let octets = try commands.map { try [UInt8](hex: $0) }
    return try await DedicatedThread(named: "terminal") { () throws(LinkError) -> [String] in
      var channel = try loopback.connect(timeout: .seconds(600))
      var answers: [String] = []
      for command in octets {
        var buffer = [UInt8](repeating: 0, count: shortResponseCapacity)
        let count = try buffer.withMutableOctets { (room) throws(LinkError) in
          try channel.transmit(command.span, into: &room)
        }
        answers.append(Array(buffer[..<count]).hex)
      }
      if resets { channel.reset() }
      channel.close()
      return answers
    }.value()
  }
}
