import MobileAuthentication
import TestSupport
import Testing

/// A second program that starts on the same local data while the first one registers.
@Suite(.timeLimit(.minutes(20)))
struct ConcurrentClientTests {
  @Test func `a client that starts while a person chooses a PIN leaves the registration alone`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      var options = person.registration
      options.enrollers[.pin] = SlowEnroller { _ = try? await test.start() }

      _ = try await Registration(username: "alice", server: server.url, options: options).execute(on: client)

      #expect(try await client.localData.registrations().map(\.account.username) == ["alice"])
      _ = try await Authentication(username: "alice", options: person.authentication).execute(on: client)
    }
  }
}

/// A person who does something else before the PIN is entered.
private final class SlowEnroller: SecretEnroller {
  private let before: @Sendable () async -> Void

  init(before: @escaping @Sendable () async -> Void) { self.before = before }

  func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret {
    await before()
    return EnteredSecret("123456")
  }
}
