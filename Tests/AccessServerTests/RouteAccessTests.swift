import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import OperatorPages
@testable import ServerShell
@testable import ServerStore
import Synchronization
import Testing

@Suite("Routes that only read")
struct RouteAccessTests {
  /// A store that can refuse to write.
  private final class ReadingStore: AccessStore {
    private let base: any AccessStore
    private let refusesWrites = Atomic(false)

    init(base: any AccessStore) { self.base = base }

    func refuseWrites() { refusesWrites.store(true, ordering: .sequentiallyConsistent) }

    func read<Value: Sendable>(
      _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
    ) async throws(AccessError) -> Value { try await base.read(body) }

    func write<Value: Sendable>(
      _ body: @escaping @Sendable (AccessTransaction) throws(AccessError) -> Value
    ) async throws(AccessError) -> Value {
      if refusesWrites.load(ordering: .sequentiallyConsistent) {
        throw .store(AccessStoreError(.unavailable, "no writer"))
      }
      return try await base.write(body)
    }
  }

  /// A request to a route that reads, and its status.
  private struct Sample {
    let method: String
    let target: String
    var body: JSONValue?
    var isOfUser = false
    var status = 200

    var path: String { target.split(separator: "?").first.map(String.init) ?? target }
  }

  private static let samples = [
    Sample(method: "GET", target: AccessPath.facets, status: 404),
    Sample(method: "POST", target: AccessPath.status, body: ["sessionId": "unknown"]),
    Sample(method: "GET", target: AccessPath.linuxVersions),
    Sample(method: "GET", target: AccessPath.dispatchTargets + "?username=alice", status: 404),
    Sample(method: "GET", target: OperatorPath.devices),
    Sample(method: "GET", target: OperatorPath.audit),
    Sample(method: "GET", target: OperatorPath.wallets),
    Sample(method: "GET", target: OperatorPath.cards),
    Sample(method: "GET", target: OperatorPath.scripts("unknown"), status: 404),
    Sample(method: "GET", target: SelfServicePath.devices, isOfUser: true),
    Sample(method: "GET", target: SelfServicePath.credentials, isOfUser: true),
  ]

  @Test func `every route that only reads is served by a store that cannot write`() async throws {
    let made = try await TestServer()
    let store = ReadingStore(base: made.store)
    let server = try await made.serving(store)
    let authorization = try await server.register(TestAuthenticator(), "alice")
    let browser = PageClient(server)
    _ = try await browser.logIn()
    store.refuseWrites()
    for sample in Self.samples {
      let token = sample.isOfUser ? authorization : TestServer.operatorToken
      let response = try await server.send(
        sample.method, sample.target, sample.body, headers: TestServer.bearer(token)
      ).response
      #expect(response.status == sample.status, "\(sample.method) \(sample.target)")
    }
    for page in OperatorPage.all {
      let target = page.path == PagePath.user ? PagePath.user("alice") : page.path + "?id=unknown"
      let isOfOneRecord = [PagePath.scripts, PagePath.unlinking, PagePath.removal].contains(page.path)
      #expect(try await browser.get(target).status == (isOfOneRecord ? 404 : 200), "\(target)")
    }
    // The store does refuse to write.
    #expect(try await server.request(.registration, RequestContext(userName: "bob")).status == 503)
    let reading = AccessService.routes.filter { $0.access == .read }
    let pages = OperatorPage.all.map(\.path)
    #expect(reading.count == Self.samples.count + pages.count)
    for route in reading where !pages.contains("/" + route.pattern.joined(separator: "/")) {
      let isTried = Self.samples.contains {
        $0.method == route.method && route.arguments($0.path.split(separator: "/").map(String.init)) != nil
      }
      #expect(isTried, "\(route.method) \(route.pattern)")
    }
  }

  @Test func `a wrong token at a route that only reads is counted`() async throws {
    let server = try await TestServer()
    let refused = try await server.send("GET", OperatorPath.devices, headers: TestServer.bearer("wrong")).response
    #expect(refused.status == 401)
    let entries = try await server.store.read { store throws(AccessError) in try store.auditEntries(limit: 9) }
    #expect(entries.map(\.event) == ["wrongToken"])
  }
}
