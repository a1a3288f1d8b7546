import DeviceAuthentication
import MobileAuthentication
import TestSupport
import Testing
import WalletAccess

/// Keys that the device destroys, as the client and the server see it.
@Suite(.timeLimit(.minutes(20)))
struct KeyLossTests {
  private static func code(_ client: MobileAuthenticationClient, _ person: ScriptedPerson) async -> String {
    do throws(OperationError) {
      _ = try await Authentication(username: "alice", options: person.authentication).execute(on: client)
      return "OK"
    } catch {
      return error.code
    }
  }

  @Test(arguments: [(invalidates: true, code: "KEY_DISAPPEARED_PERMANENTLY"), (false, "OK")])
  func `a new finger ends a key that is bound to the enrolled fingers, for good`(
    _ invalidates: Bool, code: String
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .finger)
      var options = person.registration
      options.invalidateOnNewOsBiometrics = invalidates
      _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: client)

      test.device.enrolBiometric()
      #expect(await Self.code(client, person) == code)
      test.device.removeLastBiometric()
      #expect(await Self.code(client, person) == code)

      #expect(try await client.localData.registrations().count == 1)
    }
  }

  @Test(arguments: [AuthenticatorKind.pin, .finger, .devicePasscode, .password])
  func `a device lock that was removed ends every key, and the person learns it`(
    _ kind: AuthenticatorKind
  ) async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: kind)
      let registration = Registration(username: "alice", server: server.url, options: person.registration)
      _ = try await registration.execute(on: client)

      test.device.disableLockScreen()
      #expect(await Self.code(client, person) == "NoDeviceLock")
      test.device.setPasscode("5678")
      test.device.enrolBiometric()
      #expect(await Self.code(client, person) == "KEY_DISAPPEARED_PERMANENTLY")
    }
  }

  @Test func `a device with a wallet registers again after its lock was removed and its registrations forgotten`()
    async throws
  {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      let registration = Registration(username: "alice", server: server.url, options: person.registration)
      let enrolment = UserEnrolmentCoordinator(
        try WalletAccess(
          server: server.url, device: AuthenticationDevice(ports: test.device.ports, protection: .simulated),
          http: test.exchange, store: test.store, integrity: SimulatedIntegrity()))
      _ = try await enrolment.register(WalletExample.form, requirements: try await enrolment.requirements())
      _ = try await registration.execute(on: client)
      let lost = try await client.localData.deviceInformation(at: server.url)

      test.device.disableLockScreen()
      test.device.setPasscode("5678")
      try await client.localData.deleteAuthenticator()
      // The server still has a device of the former name.
      var options = person.registration
      options.deviceInformation = NewDeviceInformation(name: "New phone")
      options.authorization = Authorization(token: try await Operator(server).token(for: "alice"))
      _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: client)

      #expect(await Self.code(client, person) == "OK")
      #expect(try await client.localData.deviceInformation(at: server.url)?.deviceId != lost?.deviceId)
    }
  }

  @Test func `an authenticator whose key is lost is registered again in its place`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .finger)
      var registration = Registration(username: "alice", server: server.url, options: person.registration)
      _ = try await registration.execute(on: client)
      test.device.enrolBiometric()
      #expect(await Self.code(client, person) == "KEY_DISAPPEARED_PERMANENTLY")

      let refused = registration
      await #expect { try await refused.execute(on: client) } throws: { error in
        guard case .refused(let refusal)? = error as? OperationError else { return false }
        return refusal.httpStatus == 401
      }
      registration.options.authorization = Authorization(token: try await Operator(server).token(for: "alice"))
      _ = try await registration.execute(on: client)

      #expect(await Self.code(client, person) == "OK")
      #expect(try await client.localData.registrations().count == 1)
    }
  }

  @Test func `an authenticator is registered once for a user`() async throws {
    try await RunningServer.run { server in
      let client = try await TestClient(server).start()
      let person = ScriptedPerson(choosing: .pin)
      let registration = Registration(username: "alice", server: server.url, options: person.registration)
      _ = try await registration.execute(on: client)

      await #expect { try await registration.execute(on: client) } throws: { error in
        (error as? OperationError)?.code == "NO_SUITABLE_AUTHENTICATOR"
      }
    }
  }
}
