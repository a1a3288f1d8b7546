import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
@testable import ServerStore
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
      "POST", OperatorPath.userTokens, UserAddition(name: other).json, headers: OperatorTests.asOperator)
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
    #expect(try await server.post(OperatorPath.users, UserAddition(name: other)) == "exists")
    let second = try await TestServer()
    let added = try await second.send(
      "POST", OperatorPath.users, UserAddition(name: other).json, headers: OperatorTests.asOperator)
    #expect(try Array(AddedUser(added.json).name.utf8) == Array(name.utf8))
  }

  /// Pairs of names that are equal after compatibility folding, and differ in Normalization Form C.
  static let lookalikes = [
    ("fiona", "\u{FB01}ona"), ("alice", "\u{FF41}lice"), ("mu\u{3BC}", "mu\u{B5}"), ("A 1", "A\u{A0}1"),
  ]

  @Test(arguments: equivalents + lookalikes)
  func `a name that equals an existing one after folding is not new, for nobody`(_ name: String, _ other: String)
    async throws
  {
    for (first, second) in [(name, other), (other, name)] {
      let server = try await TestServer()
      #expect(try await server.post(OperatorPath.users, UserAddition(name: first)) == nil)
      for again in [first, second] {
        #expect(try await server.post(OperatorPath.users, UserAddition(name: again)) == "exists", "\(again)")
        let (status, _) = try await server.request(.registration, RequestContext(userName: again))
        #expect(status == 401 || status == 409, "\(again)")
      }
      let stored = try NewAccountName(first).text
      #expect(try await server.names() == [stored])
      let tokens = try await server.store.read { store throws(AccessError) in
        try store.registrationTokens(of: stored).count
      }
      #expect(tokens == 1)
    }
  }

  @Test func `letter case is significant`() async throws {
    let server = try await TestServer()
    for name in ["alice", "Alice", "ALICE"] {
      #expect(try await server.post(OperatorPath.users, UserAddition(name: name)) == nil)
    }
    #expect(try await server.names() == ["ALICE", "Alice", "alice"])
  }

  @Test(arguments: equivalents + lookalikes)
  func `a further token is that of the user whose name has exactly these bytes`(_ name: String, _ other: String)
    async throws
  {
    let server = try await Self.server(name)
    #expect(try await server.post(OperatorPath.userTokens, UserAddition(name: other)) == "notFound")
    let added = try await server.send(
      "POST", OperatorPath.userTokens, UserAddition(name: name).json, headers: OperatorTests.asOperator)
    #expect(added.response.status == 201)
    #expect(try Array(AddedUser(added.json).name.utf8) == Array(name.utf8))
    try await server.register(TestAuthenticator(), name, token: AddedUser(added.json).registrationToken)
    #expect(try await server.credentials(of: name).count == 1)
  }

  @Test(arguments: equivalents + lookalikes)
  func `names of an older version that are equal after folding are folded at the next start and stay usable`(
    _ name: String, _ other: String
  ) async throws {
    let older = try await Self.server(name, other)
    try await older.store.write { store throws(AccessError) in
      try store.update(UserRecord.table, "foldedName", to: nil, where: "1 = 1", [])
    }
    let server = try await older.serving(older.store)
    for (index, own) in [name, other].enumerated() {
      #expect(try await server.post(OperatorPath.users, UserAddition(name: own)) == "exists")
      #expect(try await server.post(OperatorPath.userTokens, UserAddition(name: own)) == nil)
      let authenticator = TestAuthenticator(index == 0 ? "F1D0#1001" : "F1D0#1003")
      try await server.register(authenticator, own)
      #expect(try await server.authenticate(authenticator, own).status == .ok)
    }
    let unfolded = try await server.store.read { store throws(AccessError) in try store.unfoldedUsers(limit: 9) }
    #expect(unfolded.isEmpty)
    let fullyFolded = NewAccountName.folded(other)
    #expect(try await server.post(OperatorPath.users, UserAddition(name: fullyFolded)) == "exists")
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

  @Test func `a stored name with bidirectional characters registers, authenticates and is listed`() async throws {
    let name = "\u{202E}ecila\u{202C}\u{200F}"
    let server = try await Self.server(name)
    let added = try await server.send(
      "POST", OperatorPath.userTokens, UserAddition(name: name).json, headers: OperatorTests.asOperator)
    #expect(added.response.status == 201)
    let authenticator = TestAuthenticator()
    try await server.register(authenticator, name, token: AddedUser(added.json).registrationToken)
    #expect(try await server.authenticate(authenticator, name).status == .ok)
    #expect(try await server.names() == [name])
  }

  @Test func `a stored wallet whose user name has bidirectional characters logs in`() async throws {
    let server = try await TestServer()
    let device = try TestWalletDevice()
    try await server.link(device)
    let name = "ada\u{2067}\u{61C}@example.org"
    try await server.store.write { store throws(AccessError) in
      try store.update(EnrolledWalletRecord.table, "userName", to: name, where: "1 = 1", [])
    }
    #expect(try await server.logIn(userName: name, by: device).status == 200)
    #expect(try await server.logIn(by: device).status == 401)
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

extension TestServer {
  /// Sends a body to a path of the operator. Returns the code of a refusal, or nil.
  fileprivate func post(_ path: String, _ body: UserAddition) async throws -> String? {
    let (response, json) = try await send("POST", path, body.json, headers: OperatorTests.asOperator)
    return response.status == 201 ? nil : json.refusal
  }

  /// The names of all users, by their bytes.
  fileprivate func names() async throws -> [String] {
    try await store.read { transaction throws(AccessError) in try transaction.users(after: nil, limit: 9).map(\.name) }
  }
}
