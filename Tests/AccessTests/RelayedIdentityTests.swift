import AccessMessages
import AccessServer
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
@testable import MobileAuthentication
import ServerShell
import ServerStore
import Synchronization
import TestSupport
import Testing
import WalletAccess

/// A wallet that has two issuers. The second one passes every request on to the first one, and its answers back.
@Suite("An issuer that relays to another one", .timeLimit(.minutes(10)))
struct RelayedIdentityTests {
  static let (honest, evil) = ("https://honest.test", "https://evil.test")

  /// The last session that a server has opened.
  final class OpenedSession: Sendable {
    private let session = Mutex<WalletSession?>(nil)

    var present: WalletSession? { session.withLock { $0 } }

    func note(_ response: AccessResponse) {
      guard let json = try? JSONValue(parsing: response.body), let opened = try? WalletSession(json) else { return }
      session.withLock { $0 = opened }
    }
  }

  /// Both issuers. Every request reaches the server of the honest one, except that the evil one can answer for itself which
  /// state the device has, and give it the session of the honest one.
  struct Relay: HTTPExchange {
    private let service: AccessService
    private let opened = OpenedSession()
    var givesSession = false
    var answersStatus = false
    /// Whether the server is of a version that has no path for the move of an identity.
    var isOld = false

    init() async throws {
      service = try await AccessService(
        store: SQLiteAccessStore(), configuration: .selfSigned, url: ServerURL(RelayedIdentityTests.honest),
        operatorToken: nil,
        hashing: SecretHashing(.minimal))
    }

    func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
      let target = request.url.dropFirst("https://".count).drop { $0 != "/" }
      if isOld, target == WalletPath.identity { return HTTPResponse(status: 404) }
      if answersStatus, request.url == RelayedIdentityTests.evil + WalletPath.device, request.method == .get {
        let status = DeviceStatus(isRegistered: true, isActive: true)
        return HTTPResponse(status: 200, body: Array(status.json.compact.utf8))
      }
      if givesSession, request.url == RelayedIdentityTests.evil + WalletPath.sessions, let session = opened.present {
        return HTTPResponse(status: 200, body: Array(session.json.compact.utf8))
      }
      let headers = request.fields.map { (name: $0.name.lowercased(), value: $0.value) }
      let response = await service.respond(
        to: AccessRequest(
          request.method.rawValue, String(target), headers: headers, body: request.body, address: "192.0.2.1"))
      if target == WalletPath.sessions { opened.note(response) }
      return HTTPResponse(
        status: response.status, fields: response.headers.map { HTTPField($0.name, $0.value) }, body: response.body)
    }
  }

  private let relay: Relay
  private let device = SimulatedDevice(signing: P256Signing())
  private let scratch: Scratch

  init() async throws {
    (relay, scratch) = (try await Relay(), try Scratch())
    device.setPasscode("1234")
    device.enrolBiometric()
    let enrolment = UserEnrolmentCoordinator(try wallet(at: Self.honest))
    _ = try await enrolment.register(WalletExample.form, requirements: try await enrolment.requirements())
  }

  private func wallet(
    at server: String, in folder: String = "state", answersStatus: Bool = false, givesSession: Bool = false,
    isOld: Bool = false
  ) throws -> WalletAccess {
    var relay = relay
    (relay.answersStatus, relay.givesSession, relay.isOld) = (answersStatus, givesSession, isOld)
    return try WalletAccess(
      server: server, device: AuthenticationDevice(ports: device.ports, protection: .simulated), http: relay,
      store: store(folder), integrity: SimulatedIntegrity())
  }

  private func store(_ folder: String = "state") -> FileLocalData { FileLocalData(directory: scratch.path(folder)) }

  private func identity(at server: String, in folder: String = "state") async throws -> DeviceRecord {
    try #require(try await store(folder).read().device(at: server))
  }

  private func isRefused(_ body: () async throws -> Void) async throws -> Bool {
    do {
      try await body()
      return false
    } catch WalletAccessError.refused(let refusal) {
      return refusal.httpStatus == 401 && refusal.failure?.code == .unauthorized
    }
  }

  @Test func `no request that was signed for one issuer succeeds at another one`() async throws {
    #expect(try await isRefused { _ = try await DeviceCoordinator(self.wallet(at: Self.evil)).status() })
    let wallet = try wallet(at: Self.evil, answersStatus: true)
    let login = AuthenticationCoordinator(wallet)
    let lost = LostDeviceCoordinator(
      wallet, userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: ScriptedAnswers())
    let steps: [(String, () async throws -> Void)] = [
      ("login --pin", { _ = try await login.login(pin: EnteredSecret("7413")) }),
      (
        "login --password",
        {
          _ = try await login.login(
            userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: ScriptedAnswers())
        }
      ), ("lost list", { _ = try await lost.devices() }),
      ("requirements", { _ = try await UserEnrolmentCoordinator(wallet).requirements() }),
      ("unlink", { _ = try await DeviceCoordinator(wallet).removeDevice() }),
    ]
    for (name, step) in steps { #expect(try await isRefused(step), "\(name)") }
    #expect(try await DeviceCoordinator(self.wallet(at: Self.honest)).status().isActive)
  }

  @Test func `a session of one issuer that another one gives to the wallet reads and changes nothing`() async throws {
    let wallet = try wallet(at: Self.evil, answersStatus: true, givesSession: true)
    _ = try await AuthenticationCoordinator(wallet).login(pin: EnteredSecret("7413"))
    let profile = ProfileCoordinator(wallet)
    #expect(try await isRefused { _ = try await profile.profile() })
    #expect(
      try await isRefused {
        try await AuthenticationCoordinator(wallet).changePIN(
          EnteredSecret("7413"), to: EnteredSecret("8524"), under: WalletRequirements(questions: [], requiredAnswers: 0)
        )
      })
    #expect(try await DeviceCoordinator(self.wallet(at: Self.honest)).status().isLoggedIn == true)
  }

  @Test func `a wrong PIN at one issuer is no wrong PIN at another one`() async throws {
    _ = try await AuthenticationCoordinator(wallet(at: Self.honest)).logout()
    for _ in 1...6 {
      let login = AuthenticationCoordinator(try wallet(at: Self.evil, answersStatus: true))
      #expect(try await isRefused { _ = try await login.login(pin: EnteredSecret("0000")) })
    }
    let login = AuthenticationCoordinator(try wallet(at: Self.honest))
    await #expect(throws: WalletAccessError.wrongPIN(attemptsLeft: 4)) {
      _ = try await login.login(pin: EnteredSecret("0000"))
    }
    #expect(try await login.login(pin: EnteredSecret("7413")).method == .pin)
  }

  @Test func `two folders of a device have one wallet at an issuer, which is unlinked for both`() async throws {
    let second = try wallet(at: Self.honest, in: "second")
    #expect(try await DeviceCoordinator(second).status().isRegistered)
    #expect(try await identity(at: Self.honest, in: "second") == identity(at: Self.honest))
    #expect(try await AuthenticationCoordinator(second).login(pin: EnteredSecret("7413")).method == .pin)

    _ = try await DeviceCoordinator(second).removeDevice()
    #expect(try await !DeviceCoordinator(wallet(at: Self.honest)).status().isRegistered)
    _ = try await AuthenticationCoordinator(wallet(at: Self.honest, in: "third")).login(
      userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: ScriptedAnswers())
    #expect(try await identity(at: Self.honest, in: "third") == identity(at: Self.honest))
    #expect(try await identity(at: Self.honest).information.deviceId.count == 32)
  }
}

/// A wallet of an older version, which has one identity at all its issuers.
extension RelayedIdentityTests {
  /// Replaces the identity in a folder by one that is shared by both issuers, and links it at the honest one, which has an
  /// older version.
  private func share(in folder: String) async throws -> DeviceRecord {
    _ = try await DeviceCoordinator(wallet(at: Self.honest)).removeDevice()
    let signer = DeviceSigner(store: store(folder), keys: device.ports.keys)
    let made = try await signer.create(at: Self.honest) { DeviceInformation(name: "Old phone", deviceId: $0) }
    try await store(folder).change { records in
      for server in [Self.honest, Self.evil] {
        records.wallets.append(WalletRecord(server: server))
        records.identities.append(
          DeviceRecord(
            server: server, information: made.information, signatureKey: made.signatureKey,
            encryptionKey: made.encryptionKey, isShared: true))
      }
    }
    _ = try await AuthenticationCoordinator(wallet(at: Self.honest, in: folder, isOld: true)).login(
      userName: "alice@example.org", password: EnteredSecret("Abcdefgh1"), answering: ScriptedAnswers())
    return try await identity(at: Self.honest, in: folder)
  }

  @Test func `a wallet with the identity of an older version works at an older server, and keeps the identity`()
    async throws
  {
    let shared = try await share(in: "old")
    #expect(shared.isShared)
    let wallet = try wallet(at: Self.honest, in: "old", isOld: true)
    #expect(try await DeviceCoordinator(wallet).status().isLoggedIn == true)
    #expect(try await identity(at: Self.honest, in: "old") == shared)
  }

  @Test func `a wallet of an older version moves at each issuer once, with its session`() async throws {
    let shared = try await share(in: "old")
    let wallet = try wallet(at: Self.honest, in: "old")
    let status = try await DeviceCoordinator(wallet).status()
    #expect(status.isRegistered && status.isActive && status.isLoggedIn == true)
    let moved = try await identity(at: Self.honest, in: "old")
    #expect(!moved.isShared && moved.information.deviceId != shared.information.deviceId)
    #expect(moved.information.name == "Old phone")
    #expect(try await identity(at: Self.evil, in: "old").isShared)

    // The former key signs nothing any more.
    try await store("copy").change { records in
      records.wallets = [WalletRecord(server: Self.honest)]
      records.identities = [shared]
    }
    let copy = try self.wallet(at: Self.honest, in: "copy", isOld: true)
    #expect(try await isRefused { _ = try await DeviceCoordinator(copy).status() })
    // A response that was lost: the same move again.
    #expect(try await DeviceCoordinator(self.wallet(at: Self.honest, in: "copy")).status().isRegistered)
    #expect(try await identity(at: Self.honest, in: "copy").information.deviceId == moved.information.deviceId)
  }

  @Test func `an issuer that relays a move to another one moves nothing there`() async throws {
    let shared = try await share(in: "old")
    let keys = device.keyCount
    #expect(
      try await isRefused { _ = try await DeviceCoordinator(self.wallet(at: Self.evil, in: "old")).status() })
    #expect(try await identity(at: Self.evil, in: "old").isShared)
    let wallet = try wallet(at: Self.honest, in: "old", isOld: true)
    #expect(try await DeviceCoordinator(wallet).status().isLoggedIn == true)
    #expect(try await identity(at: Self.honest, in: "old") == shared)
    #expect(device.keyCount == keys + 2)
  }
}

/// Answers security questions with the texts of the enrolment.
private struct ScriptedAnswers: SecurityQuestionResponder {
  func answer(to prompt: QuestionPrompt) async throws(InteractionCancelled) -> EnteredSecret {
    EnteredSecret(prompt.questionID == "pet" ? "Rex" : "Bern")
  }
}
