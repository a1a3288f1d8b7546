import AccessMessages
import Documents
import FIDOUAF
import JSON
import Octets
@testable import ServerShell
import Synchronization
import TestSupport
import Testing

@testable import AccessServer

@Suite("Faults that an operator asks for")
struct FaultTests {
  /// Answers every request with 200 and counts them.
  final class Counter: AccessResponding {
    let count = Mutex(0)

    func respond(to request: AccessRequest) async -> AccessResponse {
      count.withLock { $0 += 1 }
      return AccessResponse(200, body: [1, 2])
    }
  }

  /// The responses to a number of requests for a path.
  func responses(
    _ plan: FaultPlan, _ path: String = "/path", count: Int = 1, from base: Counter = Counter()
  ) async -> [AccessResponse] {
    let responder = FaultyResponder(base, plan, wait: { _ in })
    var responses: [AccessResponse] = []
    for _ in 0..<count { responses.append(await responder.respond(to: AccessRequest("POST", path, address: "::1"))) }
    return responses
  }

  @Test func `a plan without rules commits no fault`() async {
    for response in await responses(FaultPlan(), count: 100) { #expect(response.status == 200 && !response.isCut) }
  }

  @Test func `each fault has its response`() async throws {
    let counter = Counter()
    let error = await responses(FaultPlan(rules: [.init(.serverError)]), "/path", from: counter)[0]
    #expect(error.status == 500)
    let expired = await responses(FaultPlan(rules: [.init(.expiredToken)]), "/path", from: counter)[0]
    #expect(expired.status == 401)
    // These two do not reach the service.
    #expect(counter.count.withLock { $0 } == 0)
    let redeemed = await responses(FaultPlan(rules: [.init(.expiredToken)]), AccessPath.redeem(.authentication))[0]
    #expect(try ReturnUAFRequest(JSONValue(parsing: redeemed.body)).status == .requestTimeout)
    let cut = await responses(FaultPlan(rules: [.init(.cutConnection)]), "/path", from: counter)[0]
    #expect(cut.isCut && cut.status == 200 && counter.count.withLock { $0 } == 1)
  }

  @Test func `a slow response is announced, waits for its time, and is then the one of the service`() async {
    let waited = Mutex<[Int]>([])
    let announced = Mutex<[String]>([])
    let responder = FaultyResponder(
      Counter(), FaultPlan(rules: [.init(.slow(milliseconds: 1_234))]),
      announce: { fault in announced.withLock { $0.append(fault) } },
      wait: { time in waited.withLock { $0.append(time) } })
    #expect(await responder.respond(to: AccessRequest("GET", "/app-versions/linux?a=b", address: "::1")).status == 200)
    #expect(waited.withLock { $0 } == [1_234])
    #expect(announced.withLock { $0 } == ["slow, 1234 ms: GET /app-versions/linux"])
  }

  @Test func `a fault befalls its share of the requests to its path, the same for each seed`() async {
    let plan = FaultPlan(seed: 7, rules: [.init(.serverError, path: "/a", percent: 30)])
    let first = await responses(plan, "/a/b", count: 1_000).map(\.status)
    #expect((200...400).contains(first.count { $0 == 500 }))
    #expect(await responses(plan, "/a/b", count: 1_000).map(\.status) == first)
    #expect(await responses(plan, "/b", count: 100).allSatisfy { $0.status == 200 })
  }

  @Test func `the first rule that befalls a request counts`() async {
    let plan = FaultPlan(rules: [.init(.expiredToken, path: "/a"), .init(.serverError)])
    #expect(await responses(plan, "/a")[0].status == 401)
    #expect(await responses(plan, "/b")[0].status == 500)
  }

  @Test func `a plan is read from JSON`() throws {
    let text = """
      {"seed": 9, "clockSkewSeconds": -600, "hashing": "minimal", "faults": [
      {"fault": "slow", "milliseconds": 5, "path": "/a", "percent": 50},
      {"fault": "cutConnection"}, {"fault": "expiredToken"}, {"fault": "serverError"}]}
      """
    let expected = FaultPlan(
      seed: 9,
      rules: [
        .init(.slow(milliseconds: 5), path: "/a", percent: 50), .init(.cutConnection), .init(.expiredToken),
        .init(.serverError),
      ], clockSkew: -600_000, hashing: .minimal)
    #expect(try FaultPlan(json: Array(text.utf8)) == expected)
    #expect(try FaultPlan(json: Array("{}".utf8)) == FaultPlan())
  }

  @Test(arguments: [
    "{", "[]", #"{"faults": [{"fault": "slow"}]}"#, #"{"faults": [{"fault": "fast"}]}"#, #"{"fault": []}"#,
    #"{"faults": [{"fault": "serverError", "percent": 0}]}"#,
    #"{"faults": [{"fault": "serverError", "percent": 101}]}"#,
    #"{"seed": -1}"#, #"{"hashing": "none"}"#,
  ])
  func `a plan that is wrong is refused`(_ text: String) {
    #expect(throws: ConfigurationError.self) { try FaultPlan(json: Array(text.utf8)) }
  }

  @Test(arguments: [(5_500, 5, 500), (-1, -1, 999), (-1_000, -1, 0), (0, 0, 0)] as [(Int64, Int64, Int)])
  func `a skewed clock is ahead or behind`(_ skew: Int64, _ seconds: Int64, _ milliseconds: Int) {
    let clock = SkewedWallClock(ManualWallClock(), aheadBy: skew)
    #expect(clock.now == WallTime(seconds: seconds, milliseconds: milliseconds))
  }
}
