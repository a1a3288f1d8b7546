import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import JSON
import MobileAuthentication
import Octets
import TestSupport
import Testing

/// Messages that arrive on another channel.
@Suite(.timeLimit(.minutes(20)))
struct OutOfBandTests {
  private static func registered(
    _ server: RunningServer, _ person: ScriptedPerson
  ) async throws -> (TestClient, MobileAuthenticationClient) {
    let test = try TestClient(server)
    let client = try await test.start()
    _ = try await Registration(username: "alice", server: server.url, options: person.registration).execute(on: client)
    return (test, client)
  }

  @Test func `a link registers a user on a device without an account`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      let dispatched = try await Operator(server).dispatch(.registration, RequestContext(userName: "bob"))
      let link = try #require(dispatched.response)

      let message = try await OutOfBandPayloadDecode(base64URL: link).execute(on: client)
      let result = try await OutOfBandOperation(message, onRegistration: person.registration).execute(on: client)

      guard case .registered(let registration) = result else {
        Issue.record("the operation was \(result)")
        return
      }
      #expect(registration.account == Account(username: "bob", server: server.url))
    }
  }

  @Test func `a token that was redeemed before ends with TokenAlreadyRedeemed`() async throws {
    try await RunningServer.run { server in
      let person = ScriptedPerson(choosing: .pin)
      let (_, client) = try await Self.registered(server, person)
      let dispatched = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"))
      let link = try #require(dispatched.response)
      let operation = OutOfBandOperation(
        try await OutOfBandPayloadDecode(base64URL: link).execute(on: client), onAuthentication: person.authentication)
      _ = try await operation.execute(on: client)

      await #expect(throws: OperationError.tokenAlreadyRedeemed) { try await operation.execute(on: client) }
      #expect("\(OperationError.tokenAlreadyRedeemed)".contains("accepted or rejected before"))
    }
  }

  @Test func `a token whose time is over ends with TokenExpired`() async throws {
    try await RunningServer.run { server in
      let person = ScriptedPerson(choosing: .pin)
      let (_, client) = try await Self.registered(server, person)
      let dispatched = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"))
      let link = try #require(dispatched.response)
      let message = try await OutOfBandPayloadDecode(base64URL: link).execute(on: client)
      server.clock.set(WallTime(seconds: server.clock.now.seconds + 301))

      await #expect(throws: OperationError.tokenExpired) {
        try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
      }
    }
  }

  @Test func `a registration that cannot succeed on the device does not use the token`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let dispatched = try await Operator(server).dispatch(.registration, RequestContext(userName: "bob"))
      let message = try await OutOfBandPayloadDecode(base64URL: dispatched.response).execute(on: client)
      for name in [nil, "", String(repeating: "n", count: 129)] {
        var options = ScriptedPerson(choosing: .pin).registration
        options.deviceInformation = name.map { NewDeviceInformation(name: $0) }
        let error = await #expect(throws: OperationError.self) {
          try await OutOfBandOperation(message, onRegistration: options).execute(on: client)
        }
        #expect(error?.code == "InvalidArgument", "\(name ?? "nil")")
      }
      test.device.removeAllBiometrics()
      for (kind, code) in [(AuthenticatorKind.finger, "USER_NOT_ENROLLED"), (.face, "NO_SUITABLE_AUTHENTICATOR")] {
        let options = ScriptedPerson(choosing: kind).registration
        let error = await #expect(throws: OperationError.self) {
          try await OutOfBandOperation(message, onRegistration: options).execute(on: client)
        }
        #expect(error?.code == code)
      }
      let result = try await OutOfBandOperation(
        message, onRegistration: ScriptedPerson(choosing: .pin).registration
      ).execute(on: client)
      guard case .registered = result else {
        Issue.record("the operation was \(result)")
        return
      }
    }
  }

  @Test func `an authentication without an account or with another authenticator does not use the token`() async throws
  {
    try await RunningServer.run { server in
      let person = ScriptedPerson(choosing: .pin)
      let (_, client) = try await Self.registered(server, person)
      let other = try await TestClient(server).start()
      let dispatched = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"))
      let message = try await OutOfBandPayloadDecode(base64URL: dispatched.response).execute(on: client)
      for (client, person) in [(other, person), (client, ScriptedPerson(choosing: .password))] {
        let error = await #expect(throws: OperationError.self) {
          try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
        }
        #expect(error?.code == "NO_SUITABLE_AUTHENTICATOR", "\(String(describing: error))")
      }
      _ = try await OutOfBandOperation(message, onAuthentication: person.authentication).execute(on: client)
    }
  }

  @Test func `a push message is pending until it is redeemed`() async throws {
    try await RunningServer.run { server in
      let person = ScriptedPerson(choosing: .finger)
      let (_, client) = try await Self.registered(server, person)
      _ = try await Operator(server).dispatch(
        .authentication, RequestContext(userName: "alice", transaction: "Pay 5.00 CHF"), .push)

      let pending = try await PendingOutOfBandOperations().execute(on: client)
      #expect(pending.errors.isEmpty && pending.operations.count == 1)
      let operation = try #require(pending.operations.first)
      #expect(operation.channel == "firebase-cloud-messaging" && operation.operation.wasEncrypted)

      _ = try await OutOfBandOperation(operation.operation, onAuthentication: person.authentication)
        .execute(on: client)
      #expect(person.confirmed == ["Pay 5.00 CHF"])
      #expect(try await PendingOutOfBandOperations().execute(on: client).operations.isEmpty)
    }
  }

  @Test func `an expired operation is not pending`() async throws {
    try await RunningServer.run(clockStands: true) { server in
      let (_, client) = try await Self.registered(server, ScriptedPerson(choosing: .pin))
      _ = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"), .push)
      server.clock.set(WallTime(seconds: server.clock.now.seconds + 290))
      #expect(try await PendingOutOfBandOperations().execute(on: client).operations.count == 1)

      server.clock.set(WallTime(seconds: server.clock.now.seconds + 11))

      let result = try await PendingOutOfBandOperations().execute(on: client)
      #expect(result.operations.isEmpty)
    }
  }

  @Test func `a message for another device ends with Decryption`() async throws {
    try await RunningServer.run { server in
      let (first, _) = try await Self.registered(server, ScriptedPerson(choosing: .pin))
      let target = try #require(try await first.store.read().accounts.first?.dispatchTarget)
      let second = try TestClient(server)
      let other = try await second.start()
      _ = try await Registration(
        username: "bob", server: server.url, options: ScriptedPerson(choosing: .pin).registration
      ).execute(on: other)
      let dispatched = try await Operator(server).dispatch(
        .authentication, RequestContext(userName: "alice"), .link, target: target)
      let link = try #require(dispatched.response)

      await #expect(throws: OperationError.decryption) {
        try await OutOfBandPayloadDecode(base64URL: link).execute(on: other)
      }
    }
  }
}
