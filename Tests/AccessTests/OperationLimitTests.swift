import AccessMessages
import Documents
import FIDOUAF
import MobileAuthentication
import Octets
import Synchronization
import TestSupport
import Testing

/// The time limit of an operation at the client and at the server, with clocks that only the test moves.
@Suite(.timeLimit(.minutes(20)))
struct OperationLimitTests {
  /// The pauses take 479 s of the 480 s that the client allows; the server keeps its request for 540 s.
  @Test(arguments: [(0, true), (60, true), (62, false)])
  func `a response of the last second succeeds when the server receives it within 540 s`(
    delay: Int, isAccepted: Bool
  ) async throws {
    try await RunningServer.run(clockStands: true) { server in
      let test = try TestClient(server)
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: try await test.start())
      let clock = ManualClock(at: Instant(nanoseconds: 1_000_000_000_000))
      let client = try await test.start(clocks: AuthenticatorClocks(wall: server.clock, monotonic: clock, boot: "one"))
      var options = Authentication.Options()
      options.secretVerifiers[.pin] = SlowPerson([79, 79, 79, 62, 180], delay: delay, clock, server.clock)

      let dispatched = try await Operator(server).dispatch(.authentication, RequestContext(userName: "alice"))
      let message = try await OutOfBandPayloadDecode(base64URL: dispatched.response).execute(on: client)
      let operation = OutOfBandOperation(message, onAuthentication: options)
      do throws(OperationError) {
        _ = try await operation.execute(on: client)
        #expect(isAccepted)
      } catch {
        #expect(!isAccepted, "\(error)")
        #expect("\(error)".contains("expired after 540 s; start the operation again"), "\(error)")
      }
    }
  }
}

/// A person who takes time for each PIN, of which only the last one is right.
private final class SlowPerson: SecretVerifier {
  private let pauses: Mutex<[Int]>
  private let delay: Int
  private let clock: ManualClock
  private let date: ManualWallClock

  /// - Parameter delay: How long the response is under way to the server, in seconds.
  init(_ pauses: [Int], delay: Int, _ clock: ManualClock, _ date: ManualWallClock) {
    self.pauses = Mutex(pauses)
    (self.delay, self.clock, self.date) = (delay, clock, date)
  }

  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    let (pause, isLast) = pauses.withLock { pauses in (pauses.removeFirst(), pauses.isEmpty) }
    clock.advance(by: .seconds(pause))
    date.set(WallTime(seconds: date.now.seconds + Int64(pause)))
    return EnteredSecret(isLast ? "123456" : "999999")
  }

  func validCredentialsProvided(_ context: SecretVerification) async {
    date.set(WallTime(seconds: date.now.seconds + Int64(delay)))
  }
}
