import DeviceAuthentication
import AccessMessages
import HTTPSTransport
import MobileAuthentication
import Testing

/// The examples of the articles of the client.
@Suite(.timeLimit(.minutes(20)))
struct ClientExample {
  @Test func `the article of HTTPSTransport sends a request`() async throws {
    try await RunningServer.run { server in
      let (authority, url) = (server.files.authority, server.url + AccessPath.facets)

      let transport = try HTTPSTransport(trust: .authorities(file: authority))
      let request = HTTPRequest(.get, url, limits: HTTPLimits(time: .seconds(20), bodyCount: 65_536))

      let response = try await transport.send(request)
      print(response.status, response.fields.value("Content-Type") ?? "no type")

      #expect((200..<500).contains(response.status))
    }
  }

  @Test func `the article of MobileAuthentication authenticates a user`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let person = ScriptedPerson(choosing: .pin)
      let (transport, store) = (test.exchange, test.store)
      let device = AuthenticationDevice(ports: test.device.ports, protection: .simulated)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: try await test.start())

      let client = try await MobileAuthenticationClient.initialise(
        ClientConfiguration(name: "access-tests"), device: device, http: transport, store: store)

      var options = Authentication.Options()
      options.secretVerifiers[.pin] = person
      options.transactionConfirmer = person
      let result = try await Authentication(username: "alice", options: options).execute(on: client)
      print(result.authenticator, result.authorization.isEmpty)

      #expect(result.authenticator == .pin)
    }
  }
}
