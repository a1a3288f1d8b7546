import AccessMessages
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The search of the operator's page")
struct OperatorSearchTests {
  private static func client(_ server: TestServer) async throws -> PageClient {
    let client = PageClient(server)
    _ = try await client.logIn()
    return client
  }

  @Test func `a person is found by name, account, device and the last four digits, and the name leads to the user`()
    async throws
  {
    let cards = try await TestCards()
    let delivery = try await cards.add()
    let digits = String(try await cards.accountNumber(of: delivery.card.id).suffix(4))
    let client = try await Self.client(cards.server)
    let account = cards.caller.account
    for text in ["alice", "Alice%20Ex", "EXAMPLE", account, "pho", cards.device.deviceID, digits] {
      let page = try await client.get("/operator/search?q=\(text)")
      #expect(page.status == 200)
      let link = try #require(page.text.firstMatch(of: /<a href="(\/operator\/user[^"]*)">/), "\(text)").output.1
      let user = try await client.get(String(link))
      #expect(user.text.contains(account) && user.text.contains("Alice Example"), "\(text)")
      #expect(page.text.contains("Alice Example"), "\(text)")
    }
  }

  @Test func `an account of authenticators is found, and its device by name and both identifiers`() async throws {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "carol", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "carol", name: "Tablet")
    let client = try await Self.client(server)
    for text in ["CAR", "tab", device.targetID, device.deviceID] {
      let page = try await client.get("/operator/search?q=\(text)")
      #expect(page.text.contains("<a href=\"/operator/user?name=carol\">carol</a>"), "\(text)")
    }
  }

  @Test(arguments: ["zz", "%25", "_", "'%20OR%201=1%20--", "123", "%3Cscript%3E", "%F0%9F%97%BC"])
  func `a text that nothing begins with finds nothing and is shown as it is`(_ text: String) async throws {
    let cards = try await TestCards()
    _ = try await cards.add()
    let page = try await Self.client(cards.server).get("/operator/search?q=\(text)")
    #expect(page.status == 200)
    #expect(page.text.contains("Nothing begins with") && !page.text.contains("<script>"))
  }

  @Test func `an empty search and an unknown field are answered, and a text of 257 characters is refused`() async throws
  {
    let client = try await Self.client(try await TestServer())
    for query in [
      "", "?q=", "?q=%20", "?q=a&in=passwordHash", "?q=a&in=account&after=~", "?q=a&in=account&after=AA.AA",
    ] {
      #expect(try await client.get("/operator/search\(query)").status == 200, "\(query)")
    }
    let long = String(repeating: "a", count: 257)
    #expect(try await client.get("/operator/search?q=\(long)").status == 400)
    #expect(try await client.get("/operator/search?q=%00").status == 400)
  }

  @Test func `a search shows ten records of each kind, says that there are more, and shows all in pages of 50`()
    async throws
  {
    let server = try await TestServer()
    try await server.store.write { store throws(AccessError) in
      for number in 100..<175 { try store.save(UserRecord(name: "User \(number)", createdAt: 1)) }
    }
    let client = try await Self.client(server)
    let page = try await client.get("/operator/search?q=user")
    #expect(page.accounts == (100..<110).map { "User \($0)" })
    #expect(page.text.contains("The first 10 are shown."))
    let first = try await client.get(try page.link("Show all"))
    #expect(first.accounts == (100..<150).map { "User \($0)" })
    #expect(first.text.contains("Shown: 50 records. There are more."))
    let second = try await client.get(try first.link("Next page"))
    #expect(second.accounts == (150..<175).map { "User \($0)" })
    #expect(second.text.contains("Shown: 25 records.") && !second.text.contains("Next page"))
    #expect(try await client.get(try second.link("First page")).accounts == first.accounts)
  }
}

extension Page {
  /// The accounts to which the page has links.
  fileprivate var accounts: [String] {
    text.matches(of: /<a href="\/operator\/user\?name=[^"]*">([^<]*)</).map { String($0.output.1) }
  }
}
