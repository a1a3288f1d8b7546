import AccessMessages
import DeviceAuthentication
import FIDOUAF
import Octets
import Synchronization
import TestSupport
import Testing

@testable import MobileAuthentication

/// A client with a server that a test scripts and a clock that jumps to the end of each pause.
final class ClientStage: HTTPExchange {
  static let server = "https://example.org"
  static let account = Account(username: "alice", server: server)

  let scratch: Scratch
  let device = SimulatedDevice(signing: P256Signing())
  let clock = JumpingClock()
  private let state = Mutex<(requests: [HTTPRequest], instants: [Instant])>(([], []))
  private let answer: @Sendable (HTTPRequest, _ number: Int) -> Result<HTTPResponse, HTTPExchangeError>

  /// Creates a stage.
  ///
  /// - Parameter answer: The response to each exchange, which are counted from 0.
  init(
    _ answer: @escaping @Sendable (HTTPRequest, Int) -> Result<HTTPResponse, HTTPExchangeError> = { _, _ in
      .success(HTTPResponse(status: 500))
    }
  ) throws {
    scratch = try Scratch()
    self.answer = answer
    device.setPasscode("1234")
    device.enrolBiometric()
  }

  var requests: [HTTPRequest] { state.withLock { $0.requests } }
  /// When the exchanges began, since the first one.
  var times: [Duration] {
    let instants = state.withLock { $0.instants }
    return instants.map { $0 - instants[0] }
  }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let number = state.withLock { state in
      state.requests.append(request)
      state.instants.append(clock.now)
      return state.requests.count - 1
    }
    return try answer(request, number).get()
  }

  func client(
    protection: DeviceKeyProtection = .simulated, integrity: (any DeviceIntegrity)? = nil,
    _ configure: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws -> MobileAuthenticationClient {
    var configuration = ClientConfiguration(name: "tests", servers: [Self.server])
    configure(&configuration)
    let clocks = AuthenticatorClocks(wall: ManualWallClock(), monotonic: clock, boot: "one")
    return try await MobileAuthenticationClient.initialise(
      configuration,
      device: AuthenticationDevice(
        ports: device.ports, protection: protection, integrity: integrity, clocks: clocks),
      http: self, store: FileLocalData(directory: scratch.path("state")))
  }

  /// Makes the device known, as after a registration.
  func register(_ client: MobileAuthenticationClient, version: String = "1.0.0") async throws {
    let identity = try await client.signer.create(at: Self.server) { _ in
      DeviceInformation(name: "Phone", deviceId: "device-1")
    }
    let key = try await device.ports.keys.create(.signing)
    let aaid = try #require(AAID("F1D0#1001"))
    let keyID = try #require(KeyID([UInt8](repeating: 1, count: 32)))
    let record = RegistrationRecord(
      account: Self.account, aaid: aaid, keyID: keyID, appID: "ios:bundle-id:tests",
      key: ProtectedKeyRecord(identifier: key, enrolmentDigest: []), state: .registered)
    try await client.store.change { records in
      records.identities = [identity]
      records.firstRegistrationVersion = version
      records.accounts = [AccountRecord(account: Self.account, dispatchTarget: "target-1")]
      records.registrations = [record]
    }
  }
}

/// A clock that is at the end of each pause at once.
final class JumpingClock: MonotonicClock {
  private let state = Mutex(Instant(nanoseconds: 0))
  var now: Instant { state.withLock { $0 } }
  func sleep(until instant: Instant) async throws { state.withLock { $0 = max($0, instant) } }
}
