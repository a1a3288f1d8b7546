import AccessMessages
import Foundation
import ScriptedClient
import TestSupport
import Testing

@Suite("A server that is killed", .blocks, .timeLimit(.minutes(20)))
struct KilledServerTests {
  /// What the server answers to the request of a step that it has already answered: HTTP status and status of the
  /// protocol. Nil where the request may be repeated.
  static func repetition(of step: ScriptedClient.Step) -> (http: Int, uaf: Int?)? {
    switch step {
    case .register, .authenticate, .confirm, .authenticateAgain, .redeem: (200, 1_491)
    // The name is not new any more: user token makes another token.
    case .addUser: (409, nil)
    // The same device with the same keys: a client may repeat the request after it has lost the response.
    case .addDevice: (201, nil)
    case .listPending, .renameDevice: (401, nil)
    // The authorization has ended with its key.
    case .deregister: (401, nil)
    case .removeDevice: (404, nil)
    // The signature of the device is the same.
    case .enrolWallet, .linkDevice, .logInByPin, .addCard, .replenish, .enableBiometrics, .logInByBiometrics,
      .beginRecovery, .answerRecovery, .resetPin, .logInByNewPin, .logInByPassword, .unlinkDevice, .beginPasswordLogin,
      .answerQuestion, .logOut:
      (401, nil)
    case .requestRegistration, .requestAuthentication, .dispatch, .deactivate, .activate, .requestAnother,
      .suspendCard, .resumeCard:
      nil
    }
  }

  @Test func `a server that is killed after each step goes on, and accepts no response and no token twice`()
    async throws
  {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    var client = try ScriptedClient(
      server.exchange(), base: server.url, account: "alice", operatorToken: server.operatorToken())
    for step in ScriptedClient.Step.allCases {
      try await client.perform(step)
      try server.killAndRestart()
      (client.exchange, client.base) = (try server.exchange(), server.url)
      guard let expected = Self.repetition(of: step) else { continue }
      let answer = try await client.repeatLastRequest()
      #expect(answer == expected, "\(step): \(answer)")
    }
    let devices = try server.run("device", "list")
    #expect(try devices.code == 0 && devices.lines().count == 1, "\(devices.output)\(devices.errors)")
  }

  @Test func `a server that is killed while clients use it serves others again`() async throws {
    let scratch = try Scratch()
    let server = try RunningServer(in: scratch.directory.path)
    for round in 0..<3 {
      let (url, token) = (server.url, try server.operatorToken())
      let exchange = try server.exchange()
      let ended = AsyncStream<Bool>.makeStream()
      let clients = (0..<4).map { number in
        Task {
          // A client that fails ends the wait too.
          defer { ended.continuation.yield(false) }
          for attempt in 0... {
            var client = try ScriptedClient(
              exchange, base: url, account: "user \(round) \(number) \(attempt)", operatorToken: token)
            for step in ScriptedClient.Step.allCases { try await client.perform(step) }
            ended.continuation.yield(true)
          }
        }
      }
      // The others are in the middle of their steps when the first one has finished.
      var ends = ended.stream.makeAsyncIterator()
      #expect(await ends.next() == true, "a client failed before the server was killed")
      try server.killAndRestart()
      for client in clients {
        // The connection is lost; no request is refused.
        await #expect(throws: HTTPExchangeError.self) { try await client.value }
      }
    }
    var last = try ScriptedClient(
      server.exchange(), base: server.url, account: "last", operatorToken: server.operatorToken())
    for step in ScriptedClient.Step.allCases { try await last.perform(step) }
  }
}
