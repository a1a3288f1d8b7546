import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// The binding of the client's responses to the TLS connection.
@Suite(.timeLimit(.minutes(20)))
struct ChannelBindingTests {
  private static func register(_ test: TestClient, at server: RunningServer) async throws {
    let person = ScriptedPerson(choosing: .pin)
    _ = try await Registration(username: "alice", server: server.url, options: person.registration)
      .execute(on: test.start())
  }

  private static func bindings(_ test: TestClient) throws -> [ChannelBinding] {
    try test.exchange.exchanges.compactMap { exchange in
      guard let json = try? JSONValue(parsing: exchange.request.body), json["uafResponse"] != nil else { return nil }
      guard case .registrationResponse(let response) = try UAFMessage(response: SendUAFResponse(json).message) else {
        return nil
      }
      return try FinalChallengeParameters(encoded: response.finalChallengeParameters, at: "$").channelBinding
    }
  }

  @Test func `an answer is bound to the certificate of the server`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      try await Self.register(test, at: server)
      #expect(try Self.bindings(test) == [try server.files.channelBinding()])
    }
  }

  @Test func `an answer that is bound to another certificate is refused with 1490, and nothing is registered`()
    async throws
  {
    let other = try ServerFiles().channelBinding()
    try await RunningServer.run(channelBinding: other) { server in
      let test = try TestClient(server)
      await #expect {
        try await Self.register(test, at: server)
      } throws: { error in
        guard case .refused(let refusal)? = error as? OperationError else { return false }
        return refusal.uafStatus == .channelBindingRefused
      }
      #expect(try await test.store.read().registrations.isEmpty && test.device.keyCount == TestClient.identityKeys)
    }
  }

  @Test func `a client without channel binding sends an empty one, which the server accepts`() async throws {
    let other = try ServerFiles().channelBinding()
    try await RunningServer.run(channelBinding: other) { server in
      let test = try TestClient(server) { $0.bindsToChannel = false }
      try await Self.register(test, at: server)
      #expect(try Self.bindings(test) == [ChannelBinding()])
    }
  }
}
