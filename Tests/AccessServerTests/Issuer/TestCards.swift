import AccessMessages
import Ciphers
import Documents
import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import FIDOUAF
import ISO7816
import JOSE
import JSON
import Octets
@testable import ServerShell
@testable import ServerStore
import Testing

@testable import AccessServer

/// A server whose issuer has a card profile, and a device that asks it for cards and pays with their keys.
struct TestCards {
  let server: TestServer
  let device: TestDevice
  let caller: WalletCaller

  init(
    profile: String = "visa-cvn18", of template: CardTemplate? = nil, uses: Int = 10, server: TestServer? = nil,
    device: TestDevice? = nil, account: String = "alice"
  ) async throws {
    let template = try template ?? Self.template(profile)
    let made: TestServer
    if let server {
      made = server
    } else {
      made = try await TestServer { configuration in
        configuration.issuer.cards = [template]
        configuration.issuer.uses = uses
      }
    }
    let device = try device ?? TestDevice()
    (self.server, self.device) = (made, device)
    caller = WalletCaller(
      deviceID: device.deviceID, account: "\(account)-\(device.deviceID)@example.org",
      encryptionKey: device.encryptionKey.publicKey)
    try await link(device)
  }

  /// Links the device with a wallet, as its enrolment does.
  private func link(_ device: TestDevice) async throws {
    let wallet = EnrolledWalletRecord(
      id: "wallet of \(caller.account)", userName: caller.account, firstName: "Alice",
      lastName: "Example", phone: "1", passwordHash: "-", pinHash: "-",
      answers: [EnrolledWalletRecord.Answer(questionID: "pet", hash: "-")], information: "{}", createdAt: 1)
    let record = WalletDeviceRecord(
      deviceID: device.deviceID, wallet: wallet.id, name: "Phone",
      signatureKey: device.signatureKey.publicKey.json.compact,
      encryptionKey: device.encryptionKey.publicKey.json.compact, createdAt: 1)
    try await server.store.write { store throws(AccessError) in
      try store.save(wallet)
      try store.save(record)
    }
  }

  /// Unlinks the device, as its user does.
  func unlink() async throws {
    try await decide { [device] rules in
      guard let linked = try rules.transaction.walletDevice(device.deviceID) else { throw AccessError.notRegistered }
      try rules.wallets.unlink(linked, "by its user")
    }
  }

  static func template(_ name: String, prefix: String = "999999") throws -> CardTemplate {
    try CardTemplate(json: [UInt8](Fixtures.data("Cards/\(name).json")), prefix: prefix)
  }

  /// Runs rules in one transaction.
  func decide<Value: Sendable>(_ rule: @escaping @Sendable (IssuerRules) throws -> Value) async throws -> Value {
    let request = AccessRequest("POST", "/", address: "192.0.2.1")
    let target = try #require(RequestTarget("/"))
    let call = Call(request: request, target: target, arguments: [], json: nil)
    return try await server.service.decide(call, by: IssuerRules.self, rule)
  }

  func add(_ delivery: String = "delivery-0000001", profile: String? = nil) async throws -> CardDelivery {
    let caller = caller
    return try await decide { try $0.addCard(CardAddition(profile: profile, delivery: delivery), for: caller) }
  }

  func list() async throws -> CardList {
    let caller = caller
    return try await decide { try $0.cards(of: caller) }
  }

  func keys(
    _ card: String, _ delivery: String, free: [Int] = [1]
  ) async throws -> CardDelivery {
    let caller = caller
    return try await decide {
      try $0.deliverKeys(KeyRequest(delivery: delivery, freeCounters: free), ofCard: card, for: caller)
    }
  }

  func content(_ delivery: CardDelivery) throws -> CardEnvelope { try CardEnvelope(device.decrypt(delivery.envelope)) }

  /// Sends an online request of a terminal.
  func authorize(_ request: PaymentAuthorizationRequest) async throws -> PaymentAuthorization {
    let (response, json) = try await server.send("POST", IssuerPath.authorizations, request.json)
    try #require(response.status == 200, "\(json.compact)")
    return try PaymentAuthorization(json)
  }

  /// An online request with the cryptogram of a Visa card, made with the key of one counter.
  static func request(
    _ content: CardEnvelope, accountNumber: String, counter: UInt16, type: TransactionType = .purchase
  ) throws -> PaymentAuthorizationRequest {
    let version = CryptogramVersion.visa18
    let key: Secret
    switch content.keys.first {
    case .singleUse(let keys, let first)?:
      key = Secret(
        copying: try #require(keys.indices.contains(Int(counter) - first) ? keys[Int(counter) - first] : nil))
    case .limitedUse(let masterKey, _, _, _, _)?:
      key = version.cryptogramKey(masterKey: Secret(copying: masterKey), atc: counter)
    case nil: throw NoKeys()
    }
    let values: [ISO7816.Tag: String] = [
      .amountAuthorised: "000000001234", .amountOther: "000000000000", .terminalCountryCode: "0276",
      .terminalVerificationResults: "0000000000", .transactionCurrencyCode: "0978", .transactionDate: "261122",
      .transactionType: [type.rawValue].hex, .unpredictableNumber: "01020304", .applicationInterchangeProfile: "0040",
      .applicationTransactionCounter: [UInt8(counter >> 8), UInt8(counter & 0xFF)].hex,
      .issuerApplicationData: "06011203A00000", .panSequenceNumber: "01",
    ]
    var data = try values.mapValues { try [UInt8](hex: $0) }
    let issuerData = try #require(data[.issuerApplicationData])
    let covered =
      version.elements.flatMap { data[$0] ?? [] } + (try #require(version.coveredIssuerData(of: issuerData)))
    data[.applicationCryptogram] = version.cryptogram(over: covered, key: key).bigEndianOctets
    return PaymentAuthorizationRequest(
      accountNumber: accountNumber,
      elements: Dictionary(uniqueKeysWithValues: data.map { ("\($0.key)", $0.value) }))
  }

  func request(_ delivery: CardDelivery, counter: UInt16, accountNumber: String) async throws
    -> PaymentAuthorizationRequest
  { try Self.request(content(delivery), accountNumber: accountNumber, counter: counter) }

  func request(
    _ delivery: CardDelivery, counter: UInt16, type: TransactionType = .purchase
  ) async throws -> PaymentAuthorizationRequest {
    try Self.request(
      content(delivery), accountNumber: await accountNumber(of: delivery.card.id), counter: counter, type: type)
  }

  /// An online request of mag-stripe mode with the code (CVC3) of the card, or with its code for another unpredictable number.
  func magStripeRequest(
    _ delivery: CardDelivery, counter: UInt16, isRight: Bool = true
  ) async throws -> PaymentAuthorizationRequest {
    guard case .limitedUse(_, let key?, _, _, _)? = try content(delivery).keys.first else { throw NoKeys() }
    let record = try await server.store.read { store throws(AccessError) in try store.card(delivery.card.id) }
    let account = IssuerAccount(try #require(record).image().applications[0])
    let magStripe = try #require(account.magStripe)
    let keys = TripleDESKeys(Secret(copying: key))
    let vector = CVC3.initialVector(of: magStripe.octets.span, keys)
    func track(codeOf random: UInt32) throws -> [UInt8] {
      let code = CVC3(initialVector: vector, unpredictableNumber: random, atc: counter, keys)
      return try #require(
        magStripe.positions.filled(
          magStripe.octets,
          with: DynamicTrackData(cvc3: code, unpredictableNumber: 7, atc: counter, isVerifiedOnDevice: true)))
    }
    let right = try track(codeOf: 7)
    var (sent, random) = (right, UInt32(8))
    // Few digits: two codes can be equal.
    while !isRight, sent == right {
      sent = try track(codeOf: random)
      random += 1
    }
    return PaymentAuthorizationRequest(
      accountNumber: account.accountNumber.exposedDigits, elements: ["9F6B": sent])
  }

  /// The account number of a card, which only the store and the envelope have.
  func accountNumber(of card: String) async throws -> String {
    let record = try await server.store.read { store throws(AccessError) in try store.card(card) }
    return try #require(record).image().applications[0].accountNumber.exposedDigits
  }

  struct NoKeys: Error {}
}
