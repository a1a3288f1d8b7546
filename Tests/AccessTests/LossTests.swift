import AccessMessages
import DeviceAuthentication
import Documents
import FIDOUAF
import MobileAuthentication
import TestSupport
import Testing

/// Networks that are cut at each exchange of each operation.
@Suite(.timeLimit(.minutes(20)))
struct LossTests {
  @Test(arguments: RecordingExchange.Loss.allCases)
  func `a registration whose network is cut at any exchange leaves nothing on the device and can be repeated`(
    _ loss: RecordingExchange.Loss
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let person = ScriptedPerson(choosing: .pin)
      var options = person.registration
      // The server may have the key of a registration whose response was lost: only the operator registers the name again.
      options.authorization = Authorization(token: RunningServer.operatorToken)
      let registration = Registration(username: "alice", server: server.url, options: options)
      // Request, response and dispatch target.
      for number in 0..<3 {
        let client = try await test.start()
        test.exchange.lose(number, loss)
        await #expect { try await registration.execute(on: client) } throws: { error in
          (error as? OperationError)?.code == "Network"
        }
        test.exchange.lose(nil)
        #expect(try await client.localData.registrations().isEmpty)
        // The server may know the device then: its identity stays, so that the repetition is recognised.
        let keepsIdentity = number > 0
        #expect((try await client.localData.deviceInformation(at: server.url) != nil) == keepsIdentity)
        #expect(test.device.keyCount == (keepsIdentity ? 2 : 0), "after the loss of exchange \(number)")
      }
      let result = try await registration.execute(on: try await test.start())
      #expect(result.account.username == "alice")
    }
  }

  @Test(arguments: RecordingExchange.Loss.allCases)
  func `an authentication whose network is cut at any exchange can be repeated`(
    _ loss: RecordingExchange.Loss
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .finger)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      let authentication = Authentication(username: "alice", options: person.authentication)
      for number in 0..<2 {
        test.exchange.lose(number, loss)
        await #expect { try await authentication.execute(on: client) } throws: { error in
          (error as? OperationError)?.code == "Network"
        }
      }
      test.exchange.lose(nil)
      #expect(try await authentication.execute(on: client).authenticator == .finger)
    }
  }

  @Test(arguments: RecordingExchange.Loss.allCases)
  func `a deregistration whose answer is lost can be repeated until the server and the device agree`(
    _ loss: RecordingExchange.Loss
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      let registered = try await Registration(
        username: "alice", server: server.url, options: person.registration
      ).execute(on: client)
      let deregistration = Deregistration(
        username: "alice", authorizing: .authorization(registered.authorization))
      test.exchange.lose(0, loss)
      await #expect { try await deregistration.execute(on: client) } throws: { error in
        (error as? OperationError)?.code == "Network"
      }
      #expect(try await client.localData.registrations().count == 1)

      test.exchange.lose(nil)
      try await deregistration.execute(on: client)

      #expect(try await client.localData.registrations().isEmpty)
      #expect(test.device.keyCount == TestClient.identityKeys)
    }
  }

  @Test func `the next start removes what a process left that ended within an operation`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      for kind in [AuthenticatorKind.pin, .finger] {
        let options = ScriptedPerson(choosing: kind).registration
        _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: client)
      }
      let keys = test.device.keyCount
      _ = try await test.store.change { records in records.registrations[0].state = .registering }

      let next = try await test.start()

      #expect(try await next.localData.registrations().count == 1)
      // The signing key of the registration and the sealing key of its PIN.
      #expect(test.device.keyCount == keys - 2)
    }
  }

  @Test func `a server that ends makes an operation fail with Network, and serves it after its restart`() async throws {
    let files = try ServerFiles()
    let person = ScriptedPerson(choosing: .devicePasscode)
    let authentication = Authentication(username: "alice", options: person.authentication)
    let (test, port) = try await RunningServer.run(files: files) { server in
      let test = try TestClient(server)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: try await test.start())
      return (test, server.port)
    }

    let client = try await test.start()
    await #expect { try await authentication.execute(on: client) } throws: { error in
      (error as? OperationError)?.code == "Network"
    }

    try await RunningServer.run(files: files, port: port) { _ in
      let result = try await authentication.execute(on: try await test.start())
      #expect(result.authenticator == .devicePasscode)
    }
  }
}
