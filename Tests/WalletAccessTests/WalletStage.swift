import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import Synchronization
import TestSupport
import WalletAccess

/// A wallet on a simulated device, with an issuer whose answers a test scripts and with clocks that only a test moves.
final class WalletStage: HTTPExchange {
  static let requirements = WalletRequirements(
    questions: [
      SecurityQuestion(id: "pet", text: "Your first pet?", isMandatory: true),
      SecurityQuestion(id: "town", text: "Where were you born?"),
      SecurityQuestion(id: "school", text: "Your first school?"),
    ], requiredAnswers: 2)

  let scratch: Scratch
  let device: SimulatedDevice
  let clock = ManualClock()
  let integrity = SimulatedIntegrity()
  let contents = CountedContents()
  private let state = Mutex(State())

  private struct State {
    var answers: [String: [Result<HTTPResponse, HTTPExchangeError>]] = [:]
    var requests: [HTTPRequest] = []
  }

  init(hardware: SimulatedDevice.Hardware = .phone) throws {
    scratch = try Scratch()
    device = SimulatedDevice(hardware: hardware, signing: P256Signing())
    device.setPasscode("1234")
    if hardware.hasSensor { device.enrolBiometric() }
    answer("GET /wallet/v1/device", 200, DeviceStatus(isRegistered: true, isActive: true).json)
    answer("GET /wallet/v1/requirements", 200, Self.requirements.json)
    answer("DELETE /wallet/v1/sessions/current", 204)
    answer("DELETE /wallet/v1/device", 204)
    answer("POST /wallet/v1/sessions", 200, WalletSession(session: "session-1", idleSeconds: 600).json)
    answer("POST /wallet/v1/biometric-token", 201, BiometricToken(token: "biometric-1").json)
    answer("DELETE /wallet/v1/biometric-token", 204)
  }

  /// The wallet, as a new process opens it.
  ///
  /// - Parameter isMoved: Whether the machine has another TPM than the one that has the keys.
  func wallet(
    protection: DeviceKeyProtection = .simulated, checksIntegrity: Bool = false,
    store: (any LocalDataStore)? = nil, isMoved: Bool = false
  ) throws -> WalletAccess {
    let clocks = AuthenticatorClocks(
      wall: ManualWallClock(at: WallTime(seconds: 1_800_000_000)), monotonic: clock, boot: "one")
    let own = device.ports
    let ports =
      isMoved
      ? DevicePorts(biometric: own.biometric, passcode: own.passcode, lock: own.lock, keys: MovedKeys(base: own.keys))
      : own
    return try WalletAccess(
      server: "https://issuer.example/path",
      device: AuthenticationDevice(
        ports: ports, protection: protection, integrity: checksIntegrity ? integrity : nil, clocks: clocks),
      http: self, store: store ?? self.store, integrity: integrity, contents: [contents])
  }

  var store: FileLocalData { FileLocalData(directory: scratch.path("state")) }

  /// The record of the wallet on this device.
  func record() async throws -> WalletRecord? { try await store.read().wallet(at: "https://issuer.example") }

  /// Logs in by PIN.
  func logIn() async throws { _ = try await AuthenticationCoordinator(wallet()).login(pin: EnteredSecret("7413")) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let name = "\(request.method.rawValue) \(request.url.dropFirst("https://issuer.example".count))"
    return try state.withLock { state -> Result<HTTPResponse, HTTPExchangeError> in
      state.requests.append(request)
      guard let answers = state.answers[name], let first = answers.first else {
        return .success(HTTPResponse(status: 404))
      }
      if answers.count > 1 { state.answers[name]?.removeFirst() }
      return first
    }.get()
  }

  /// Scripts the answers to a request in place of the former ones. The last one is repeated.
  func answer(_ name: String, _ status: Int, _ json: JSONValue? = nil) {
    state.withLock { $0.answers[name] = [.success(Self.response(status, json))] }
  }

  /// Adds an answer to a request, after the ones that are scripted.
  func thenAnswer(_ name: String, _ status: Int, _ json: JSONValue? = nil) {
    state.withLock { $0.answers[name, default: []].append(.success(Self.response(status, json))) }
  }

  /// Scripts that a request is not answered.
  func fail(_ name: String, _ error: HTTPExchangeError = .unreachable("no server")) {
    state.withLock { $0.answers[name] = [.failure(error)] }
  }

  /// The requests so far, as `METHOD path`.
  var names: [String] {
    state.withLock { $0.requests }.map { "\($0.method.rawValue) \($0.url.dropFirst("https://issuer.example".count))" }
  }

  /// The bodies of the requests of one name.
  func bodies(_ name: String) throws -> [JSONValue] {
    let requests = state.withLock { $0.requests }
    return try zip(requests, names).filter { $1 == name }.map { try JSONValue(parsing: $0.0.body) }
  }

  /// The requests of one name.
  func requests(_ name: String) -> [HTTPRequest] {
    zip(state.withLock { $0.requests }, names).filter { $1 == name }.map(\.0)
  }

  private static func response(_ status: Int, _ json: JSONValue?) -> HTTPResponse {
    HTTPResponse(status: status, body: json.map { Array($0.compact.utf8) } ?? [])
  }
}

/// The keys of a machine whose TPM is not the one that has them.
private struct MovedKeys: ProtectedKeyStore {
  let base: any ProtectedKeyStore

  private var error: DeviceAuthenticationError { .authenticationKeyInvalidated(.otherDevice) }

  func create(
    _ kind: ProtectedKeyKind, counting: Bool
  ) async throws(DeviceAuthenticationError) -> KeyIdentifier {
    throw .unavailable(reason: "the keys are of another TPM")
  }
  func access(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> KeyAccess { .invalidated(.otherDevice) }
  func unseal(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) -> Secret { throw error }
  func publicKey(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] { throw error }
  func sign(_ digest: [UInt8], with key: KeyIdentifier) async throws(DeviceAuthenticationError) -> [UInt8] {
    throw error
  }
  func delete(_ key: KeyIdentifier) async throws(DeviceAuthenticationError) { try await base.delete(key) }
  func counter(of key: KeyIdentifier) async throws(DeviceAuthenticationError) -> UInt64? { throw error }
  func advanceCounter(
    of key: KeyIdentifier, from value: UInt64
  ) async throws(DeviceAuthenticationError) -> CounterStep? { throw error }
}

/// A store whose first read returns records that another process has changed since.
final class OutdatedStore: LocalDataStore {
  private let store: FileLocalData
  private let records: Mutex<LocalRecords?>

  init(store: FileLocalData, records: LocalRecords) {
    self.store = store
    self.records = Mutex(records)
  }

  func read() async throws(LocalDataError) -> LocalRecords {
    if let first = records.withLock({ $0.take() }) { return first }
    return try await store.read()
  }

  func update<Value: Sendable>(
    _ body:
      @escaping @Sendable (
        _ records: inout LocalRecords, _ keep: (LocalRecords) throws(LocalDataError) -> Void
      ) throws(LocalDataError) -> Value
  ) async throws(LocalDataError) -> Value {
    try await store.update(body)
  }

  func beginEntry() async throws(LocalDataError) -> any RegistrationMark { try await store.beginEntry() }
  func beginRegistration() async throws(LocalDataError) -> any RegistrationMark { try await store.beginRegistration() }

  func holdRegistrations() async throws(LocalDataError) -> (any RegistrationMark)? {
    try await store.holdRegistrations()
  }
}

/// Contents of a wallet that count how often they are removed.
final class CountedContents: WalletContents {
  private let state = Mutex(0)
  var wipes: Int { state.withLock { $0 } }
  func wipe() async throws(WalletContentsError) { state.withLock { $0 += 1 } }
}

/// A user with fixed answers, who counts the questions.
final class FixedUser: PINChallengeResponder, BiometricChallengeResponder, SecurityQuestionResponder, NewSecretResponder
{
  private let pin: String?
  private let biometric: BiometricAnswer
  private let secret: String
  private let asked = Mutex<[String]>([])

  /// Creates a user.
  ///
  /// - Parameter pin: The PIN; nil for a user who cancels.
  init(pin: String? = "7413", biometric: BiometricAnswer = .prompt("Log in"), secret: String = "Rex") {
    (self.pin, self.biometric, self.secret) = (pin, biometric, secret)
  }

  /// The questions, in their order.
  var questions: [String] { asked.withLock { $0 } }

  func pin(for challenge: PINChallenge) async throws(InteractionCancelled) -> EnteredSecret {
    asked.withLock { $0.append("pin \(challenge.reason.rawValue)") }
    guard let pin else { throw InteractionCancelled() }
    return EnteredSecret(pin)
  }

  func respond(to challenge: BiometricChallenge) async -> BiometricAnswer {
    asked.withLock { $0.append("biometric") }
    return biometric
  }

  func answer(to question: QuestionPrompt) async throws(InteractionCancelled) -> EnteredSecret {
    asked.withLock { $0.append("answer \(question.questionID)") }
    return EnteredSecret("Rex")
  }

  func newSecret(
    _ kind: RecoveryRequest.Secret, _ requirements: WalletRequirements
  ) async throws(InteractionCancelled) -> EnteredSecret {
    asked.withLock { $0.append("new \(kind.rawValue)") }
    return EnteredSecret(secret)
  }
}
