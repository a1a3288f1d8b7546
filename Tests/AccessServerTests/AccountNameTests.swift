import AccessMessages
@testable import AccessServer
import FIDOUAF
import JSON
import Testing

@Suite("Names of accounts")
struct AccountNameTests {
  /// A name and another one that Unicode considers equivalent.
  static let equivalents = [("Kate", "\u{212A}ate"), ("Zo\u{EB}", "Zoe\u{308}"), ("\u{C5}sa", "\u{212B}sa")]

  /// A server whose store has two accounts, as an older version may have added them.
  private static func server(_ names: String...) async throws -> TestServer {
    let server = try await TestServer()
    try await server.store.write { store throws(AccessError) in
      for name in names { try store.save(UserRecord(name: name, createdAt: 1)) }
    }
    return server
  }

  @Test(arguments: equivalents)
  func `a stored name keeps its bytes, and its user has no right on an equivalent one`(_ name: String, _ other: String)
    async throws
  {
    let server = try await Self.server(name, other)
    let own = try await server.register(TestAuthenticator(), other)
    try await server.register(TestAuthenticator("F1D0#1003"), name)
    #expect(try await server.credentials(of: other).map { Array($0.account.utf8) } == [Array(other.utf8)])
    #expect(try await server.credentials(of: name).map { Array($0.account.utf8) } == [Array(name.utf8)])
    let device = try TestDevice("device-1")
    for (account, status) in [(name, 403), (other, 201)] {
      let added = try await server.send(
        "POST", AccessPath.dispatchTargets, device.registration(account), headers: TestServer.bearer(own))
      #expect(added.response.status == status)
      let request = try await server.request(.registration, RequestContext(userName: account), token: own)
      #expect(request.status == (status == 201 ? 200 : 403))
      let removal = try await server.request(.deregistration, RequestContext(userName: account), token: own)
      #expect(removal.status == (status == 201 ? 200 : 403))
    }
  }

  @Test(arguments: equivalents)
  func `a registration token is that of its name only`(_ name: String, _ other: String) async throws {
    let server = try await Self.server(name, other)
    let added = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: other).json, headers: OperatorTests.asOperator)
    let token = try AddedUser(added.json).registrationToken
    #expect(try await server.request(.registration, RequestContext(userName: name), token: token).status == 403)
    #expect(try await server.request(.registration, RequestContext(userName: other), token: token).status == 200)
  }

  @Test(arguments: equivalents)
  func `a new name is normalized, so that it is the one that is there`(_ name: String, _ other: String) async throws {
    let server = try await TestServer()
    #expect(try await Array(server.registrationRequest(other).userName.utf8) == Array(name.utf8))
    try await server.register(TestAuthenticator(), name)
    #expect(try await server.request(.registration, RequestContext(userName: other)).status == 401)
    let added = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: other).json, headers: OperatorTests.asOperator)
    #expect(try Array(AddedUser(added.json).name.utf8) == Array(name.utf8))
  }

  @Test(arguments: ["a\nb", "a\u{7F}", "a\u{85}", "a\u{202E}b", "\u{200F}a", "a\u{2066}", "a\u{61C}", "a\u{2028}b"])
  func `a new name with a control or bidirectional character is refused`(_ name: String) async throws {
    let server = try await TestServer()
    #expect(try await server.request(.registration, RequestContext(userName: name)).status == 400)
    let added = try await server.send(
      "POST", OperatorPath.users, UserAddition(name: name).json, headers: OperatorTests.asOperator)
    #expect(added.response.status == 400 && added.json.refusal == "malformed")
    var profile = TestServer.profile
    profile.email = "\(name)@example.org"
    let enrolment = try await server.post(WalletPath.enrolments, profile.json, by: TestWalletDevice())
    #expect(enrolment.json.refusal == "requirementsNotMet", "\(enrolment.json.compact)")
  }

  @Test func `the user name of a wallet is in lower case before it is normalized`() async throws {
    let server = try await TestServer()
    var profile = TestServer.profile
    profile.email = "\u{212A}ATE-ZOE\u{308}@example.org"
    let device = try TestWalletDevice()
    try await server.link(device, profile)
    for name in ["kate-zo\u{EB}@example.org", "Kate-ZOE\u{308}@example.org"] {
      var other = profile
      other.email = name
      let second = try await server.post(WalletPath.enrolments, other.json, by: TestWalletDevice("other"))
      #expect(second.json.refusal == "userNameInUse")
      #expect(try await server.logIn(userName: name, by: device).status == 200)
    }
  }
}
