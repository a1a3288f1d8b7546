import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// The operations of the client against the server, over TLS.
@Suite(.timeLimit(.minutes(20)))
struct OperationTests {
  @Test(arguments: AuthenticatorKind.allCases)
  func `each authenticator registers, authenticates, confirms a transaction and deregisters`(
    _ kind: AuthenticatorKind
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server, sensor: TestClient.sensor(for: kind))
      let client = try await test.start()
      let person = ScriptedPerson(choosing: kind)

      let registered = try await Registration(
        username: "alice", server: server.url, options: person.registration
      ).execute(on: client)
      #expect(registered.authenticator == kind && registered.authorization.token != nil)

      let authenticated = try await Authentication(username: "alice", options: person.authentication)
        .execute(on: client)
      #expect(authenticated.authenticator == kind && !authenticated.isTransactionConfirmed)

      let dispatched = try await Operator(server).dispatch(
        .authentication, RequestContext(userName: "alice", transaction: "Pay 10.00 CHF to Bob"))
      let link = try #require(dispatched.response)
      let message = try await OutOfBandPayloadDecode(base64URL: link).execute(on: client)
      let result = try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
      guard case .authenticated(let confirmed) = result else {
        Issue.record("the operation was \(result)")
        return
      }
      #expect(confirmed.isTransactionConfirmed && person.confirmed == ["Pay 10.00 CHF to Bob"])
      #expect(try await Operator(server).status(try #require(dispatched.sessionID)).state == .succeeded)

      try await Deregistration(
        username: "alice", authorizing: .authorization(authenticated.authorization)
      ).execute(on: client)
      #expect(try await client.localData.accounts().isEmpty)
      #expect(try await client.localData.deviceInformation(at: server.url) == nil)
      #expect(test.device.keyCount == TestClient.identityKeys)
    }
  }

  @Test func `one device registers all its authenticators and authenticates with each`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let kinds: [AuthenticatorKind] = [.pin, .finger, .devicePasscode, .password]
      for kind in kinds {
        let options = ScriptedPerson(choosing: kind).registration
        _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: client)
      }
      for kind in kinds {
        let person = ScriptedPerson(choosing: kind)
        let result = try await Authentication(username: "alice", options: person.authentication).execute(on: client)
        #expect(result.authenticator == kind)
        #expect(person.selections.last?.options.filter(\.isPolicyCompliant).count == kinds.count)
      }
    }
  }

  @Test func `an authorization is returned and not sent with the next request`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      let before = test.exchange.exchanges.count

      for _ in 0..<2 {
        let result = try await Authentication(username: "alice", options: person.authentication).execute(on: client)
        #expect(!result.authorization.isEmpty)
      }

      for exchange in test.exchange.exchanges[before...] {
        #expect(exchange.request.fields.values("Authorization").isEmpty)
        #expect(exchange.request.fields.values("Cookie").isEmpty)
      }
    }
  }

  @Test func `a wrong PIN signs nothing and the server learns that the client failed`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      person.forgetPIN()
      let sent = test.exchange.exchanges.count

      await #expect {
        try await Authentication(username: "alice", options: person.authentication).execute(on: client)
      } throws: { error in (error as? OperationError)?.code == "USER_CANCELED" }

      let last = try #require(test.exchange.exchanges[sent...].last)
      let body = try SendUAFResponse(try JSONValue(parsing: last.request.body))
      #expect(try ResponseContext(text: body.context).clientError == 3)
      guard case .authenticationResponse(let response) = try UAFMessage(response: body.message) else {
        Issue.record("the report is no response")
        return
      }
      #expect(response.assertions.isEmpty)
    }
  }

  // Only an enroller for passwords has a policy for them.
  @Test func `a password without a policy is refused before a key is sent`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      var options = ScriptedPerson(choosing: .password).registration
      options.enrollers[.password] = nil
      await #expect(throws: OperationError.self) {
        try await Registration(username: "alice", server: server.url, options: options).execute(on: client)
      }
      #expect(try await client.localData.registrations().isEmpty && test.device.keyCount == 0)
      #expect(try await Operator(server).deregister("alice") == .notFound)
    }
  }

  @Test func `the deregistration of a user that the server no longer has succeeds on the device`()
    async throws
  {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      let registered = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      #expect(try await Operator(server).deregister("alice") == .ok)
      try await Deregistration(username: "alice", authorizing: .authorization(registered.authorization))
        .execute(on: client)
      #expect(try await client.localData.accounts().isEmpty && test.device.keyCount == TestClient.identityKeys)
    }
  }

  @Test func `a refused transaction ends with USER_CANCELED before an authenticator is chosen`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .finger)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      let selections = person.selections.count
      person.refuseTransactions()
      let dispatched = try await Operator(server).dispatch(
        .authentication, RequestContext(userName: "alice", transaction: "Pay 10.00 CHF"))
      let link = try #require(dispatched.response)
      let message = try await OutOfBandPayloadDecode(base64URL: link).execute(on: client)

      await #expect {
        try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
      } throws: { error in (error as? OperationError)?.code == "USER_CANCELED" }

      #expect(person.selections.count == selections)
      #expect(test.device.promptCount(.biometric) == 1)
    }
  }
}
