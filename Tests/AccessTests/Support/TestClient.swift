import AccessMessages
import DeviceAuthentication
import Foundation
import HTTPSTransport
import MobileAuthentication
import Synchronization
import TestSupport

/// A client on a simulated device, whose exchanges are recorded and can fail.
final class TestClient: Sendable {
  /// The keys of the identity that the device has at its server: they stay when everything else is removed.
  static let identityKeys = 2

  let device: SimulatedDevice
  let exchange: RecordingExchange
  let scratch: Scratch
  let configuration: ClientConfiguration

  init(
    _ server: RunningServer, sensor: BiometricKind = .finger,
    _ configure: (inout ClientConfiguration) -> Void = { _ in }
  ) throws {
    device = SimulatedDevice(hardware: SimulatedDevice.Hardware(sensor: sensor), signing: P256Signing())
    device.setPasscode("1234")
    device.enrolBiometric()
    scratch = try Scratch()
    exchange = RecordingExchange(
      SearchedExchange(base: try HTTPSTransport(trust: .authorities(file: server.files.authority))), keeping: scratch)
    var configuration = ClientConfiguration(name: "access-tests", servers: [server.url])
    // The least cost: these tests are not about guessing.
    configuration.secrets.cost = 4
    configure(&configuration)
    self.configuration = configuration
  }

  var store: FileLocalData { FileLocalData(directory: scratch.directory.path) }

  /// Starts the client, as a new process does.
  func start(
    protection: DeviceKeyProtection = .simulated, integrity: (any DeviceIntegrity)? = nil,
    clocks: AuthenticatorClocks = .system
  ) async throws -> MobileAuthenticationClient {
    try await MobileAuthenticationClient.initialise(
      configuration,
      device: AuthenticationDevice(ports: device.ports, protection: protection, integrity: integrity, clocks: clocks),
      http: exchange,
      store: store)
  }

  static func sensor(for kind: AuthenticatorKind) -> BiometricKind { kind == .face ? .face : .finger }
}

/// Passes exchanges on and records them. The exchange with a number can be lost.
final class RecordingExchange: HTTPExchange {
  /// Where an exchange is lost.
  enum Loss: String, CaseIterable, Sendable {
    case beforeTheServer, afterTheServer
  }

  struct Exchange: Sendable {
    let request: HTTPRequest
    let response: HTTPResponse?
  }

  private struct State {
    var exchanges: [Exchange] = []
    var lost: (number: Int, loss: Loss)?
    var count = 0
  }

  private let state = Mutex(State())
  private let inner: any HTTPExchange
  // The local data of the client, which lives as long as its exchanges.
  private let scratch: Scratch

  init(_ inner: any HTTPExchange, keeping scratch: Scratch) { (self.inner, self.scratch) = (inner, scratch) }

  var exchanges: [Exchange] { state.withLock { $0.exchanges } }

  /// Loses the exchange with a number, counted from now on; nil for none.
  func lose(_ number: Int?, _ loss: Loss = .beforeTheServer) {
    state.withLock { state in
      state.count = 0
      state.lost = number.map { ($0, loss) }
    }
  }

  func serverCertificate(of origin: String) async -> [UInt8]? { await inner.serverCertificate(of: origin) }

  func send(_ request: HTTPRequest) async throws(HTTPExchangeError) -> HTTPResponse {
    let loss = state.withLock { state -> Loss? in
      defer { state.count += 1 }
      guard let lost = state.lost, lost.number <= state.count else { return nil }
      return lost.loss
    }
    if loss == .beforeTheServer { throw .unreachable("the network is cut") }
    let response = try await inner.send(request)
    state.withLock { $0.exchanges.append(Exchange(request: request, response: response)) }
    if loss == .afterTheServer { throw .timedOut(limit: .seconds(60)) }
    return response
  }
}
