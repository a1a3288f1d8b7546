import AccessMessages
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
import TestSupport
import Testing

@testable import AccessServer

/// A signature that a device made for one server, sent to another one.
@Suite("The audience of a device's signature")
struct AudienceTests {
  static let foreign = "https://evil.test"

  static func send(_ server: TestServer, audience: String?) async throws -> (status: Int, code: String?) {
    let signature = try TestWalletDevice().signature(
      "GET", WalletPath.device, nil, at: server.clock.now.epochMilliseconds, audience: audience)
    let (response, json) = try await server.send("GET", WalletPath.device, headers: TestServer.signed(signature))
    return (response.status, json.refusal)
  }

  static func isAccepted(_ audience: String?, by server: TestServer) async throws -> Bool {
    let answer = try await send(server, audience: audience)
    try #require(answer.status == 200 || answer.status == 401 && answer.code == "unauthorized")
    return answer.status == 200
  }

  @Test(arguments: [
    "https://evil.test", "https://server.test:8443", "http://server.test", "https://server.test/",
    "HTTPS://server.test",
    "https://server.test.evil.test",
  ])
  func `a signature for another origin is refused`(_ audience: String) async throws {
    #expect(try await !Self.isAccepted(audience, by: TestServer()))
  }

  @Test func `a header that names the host of a signature for another server changes nothing`() async throws {
    let server = try await TestServer()
    let signature = try TestWalletDevice().signature(
      "GET", WalletPath.device, nil, at: server.clock.now.epochMilliseconds, audience: Self.foreign)
    let headers = [
      (name: "host", value: "evil.test"), ("forwarded", "host=evil.test;proto=https"),
      ("x-forwarded-host", "evil.test"),
    ]
    let answer = try await server.send("GET", WalletPath.device, headers: TestServer.signed(signature) + headers)
    #expect(answer.response.status == 401)
  }

  @Test func `the configured origins are the only ones, and the first is printed`() async throws {
    let server = try await TestServer {
      $0.origins = ["https://a.test", "https://b.test:8443"]
      $0.url = "https://c.test"
      $0.certificateHosts = ["d.test"]
    }
    for (audience, isAccepted) in [
      ("https://a.test", true), ("https://c.test", false), ("https://d.test", false),
      ("https://server.test", false),
    ] {
      #expect(try await Self.isAccepted(audience, by: server) == isAccepted, "\(audience)")
    }
    #expect(server.service.configuration.printedURL(listeningAt: "https://server.test") == "https://a.test")
  }

  @Test func `a wallet is linked at the first origin, and is served at each`() async throws {
    let further = "https://b.test:8443"
    let server = try await TestServer { $0.origins = [TestServer.origin, further] }
    let device = try TestWalletDevice()
    func status() async throws -> (status: Int, text: String) {
      let signature = try device.signature(
        "GET", WalletPath.device, nil, at: server.clock.now.epochMilliseconds, audience: further)
      let (response, json) = try await server.send("GET", WalletPath.device, headers: TestServer.signed(signature))
      return (response.status, json.compact)
    }
    let refused = try await status()
    #expect(refused.status == 401 && refused.text.contains("connect to \(TestServer.origin)"), "\(refused.text)")
    try await server.link(device)
    #expect(try await status().status == 200)
  }

  @Test func `without the key the origins are that of url and the names of the certificate with the port`() async throws
  {
    let server = try await TestServer {
      $0.url = "https://c.test:444"
      $0.certificateHosts = ["d.test", "192.0.2.7", "[2001:db8::1]"]
    }
    for audience in ["https://c.test:444", "https://d.test", "https://192.0.2.7", "https://[2001:db8::1]"] {
      #expect(try await Self.isAccepted(audience, by: server), "\(audience)")
    }
    #expect(try await !Self.isAccepted("https://d.test:444", by: server))
  }

  @Test(arguments: [nil, false, true])
  func `a new database refuses a signature without an audience unless the configuration accepts it`(_ legacy: Bool?)
    async throws
  {
    let server = try await TestServer { $0.legacySignatures = legacy }
    #expect(try await Self.isAccepted(nil, by: server) == (legacy == true))
  }

  @Test(arguments: [nil, false, true])
  func `the database of an older server accepts signatures without an audience unless the configuration refuses them`(
    _ legacy: Bool?
  ) async throws {
    let older = try await TestServer()
    try await older.store.write { store throws(AccessError) in
      try store.remove(SettingRecord.self, "audienceSince")
    }
    let server = try await TestServer(store: older.store) { $0.legacySignatures = legacy }
    #expect(try await Self.isAccepted(nil, by: server) == (legacy != false))
    // With an audience it must be the right one.
    #expect(try await !Self.isAccepted(Self.foreign, by: server))
  }

  @Test(arguments: [DeviceRequest.Purpose.credentials, .operations, .change, .removal, .deregistration])
  func `a request that a device of an account signed for another server is refused`(_ purpose: DeviceRequest.Purpose)
    async throws
  {
    let server = try await TestServer()
    _ = try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice")
    for (audience, isAccepted) in [(Self.foreign, false), (nil, false), (TestServer.origin, true)] {
      let change = purpose == .change ? DispatchTargetChange(name: "Tablet") : nil
      let signature = try device.signature(server, purpose, change: change, audience: audience)
      let status = try await Self.send(signature, purpose, of: device, to: server)
      #expect((status == 401) == !isAccepted, "\(audience ?? "nil"): \(status)")
    }
  }

  /// Sends the request of a purpose, and returns the status.
  private static func send(
    _ signature: String, _ purpose: DeviceRequest.Purpose, of device: TestDevice, to server: TestServer
  ) async throws -> Int {
    let headers = TestServer.signed(signature)
    switch purpose {
    case .credentials:
      return try await server.send("GET", AccessPath.deviceCredentials(device.deviceID), headers: headers)
        .response.status
    case .operations:
      return try await server.send("GET", AccessPath.deviceOperations(device.deviceID), headers: headers)
        .response.status
    case .change: return await server.change(device.targetID, signature).status
    case .removal:
      return try await server.send("DELETE", AccessPath.dispatchTarget(device.targetID), headers: headers)
        .response.status
    case .deregistration:
      let context = RequestContext(userName: "alice").json.compact
      let body = GetUAFRequest(.deregistration, context: context).json
      return try await server.send(
        "POST", AccessPath.deregistrationRequest, body, type: MediaType.uaf, headers: headers
      ).response.status
    }
  }
}
