import AccessMessages
import Documents
import FIDOUAF
import DeviceAuthentication
import MobileAuthentication
import TestSupport
import Testing

/// Changes of the device information at the real server.
@Suite(.timeLimit(.minutes(20)))
struct DeviceInformationTests {
  @Test func `the name and the push token change at the server and on the device`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)

      try await DeviceInformationChange(name: "New name", push: .disabled).execute(on: client)
      let without = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"), .push)
      #expect(without.result == .dispatchTargetNotFound)

      try await DeviceInformationChange(push: .enabled(token: "another")).execute(on: client)
      let with = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"), .push)
      #expect(with.result == .dispatched)

      let information = try #require(try await client.localData.deviceInformation(at: server.url))
      #expect(information.name == "New name" && information.pushToken == "another")
    }
  }

  @Test func `a name of another device of the user ends with NameAlreadyExists`() async throws {
    try await RunningServer.run { server in
      let person = ScriptedPerson(choosing: .pin)
      let first = try await TestClient(server).start()
      _ = try await Registration(username: "alice", server: server.url, options: person.registration).execute(on: first)
      let second = try await TestClient(server).start()
      var options = ScriptedPerson(choosing: .password).registration
      options.deviceInformation = NewDeviceInformation(name: "Second phone")
      options.authorization = Authorization(token: try await Operator(server).token(for: "alice"))
      _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: second)

      await #expect(throws: OperationError.nameAlreadyExists) {
        try await DeviceInformationChange(name: "Phone of the tests").execute(on: second)
      }
    }
  }

  @Test func `a request that was recorded is refused when it is sent again`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      try await DeviceInformationChange(name: "New name").execute(on: client)
      let recorded = try #require(test.exchange.exchanges.last { $0.request.method == .patch })

      let repeated = try await test.exchange.send(recorded.request)

      #expect(recorded.response?.status == 204 && repeated.status == 401)
    }
  }
}
