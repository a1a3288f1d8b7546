import AccessMessages
import Documents
import JSON
@testable import ServerShell
import Testing

@testable import AccessServer

@Suite("The profile of a wallet's user")
struct ProfileRulesTests {
  let server: TestServer
  let device: TestWalletDevice
  let session: String

  init() async throws {
    server = try await TestServer()
    device = try TestWalletDevice()
    session = try await server.link(device)
  }

  private func change(_ body: JSONValue, session token: String? = nil) async throws -> TestServer.Answer {
    try await server.wallet("PATCH", WalletPath.profile, body, by: device, session: token ?? session)
  }

  @Test func `names and telephone number change, and the trail names the members without their values`() async throws {
    let answer = try await change(["lastName": "King", "phone": "+44 20 9999"])
    #expect(answer.status == 200, "\(answer.json.compact)")
    let shown = try await server.wallet("GET", WalletPath.profile, by: device, session: session)
    let expected = WalletProfile(email: "ada@example.org", firstName: "Ada", lastName: "King", phone: "+44 20 9999")
    #expect(try WalletProfile(shown.json) == expected)
    let trail = try await server.auditText()
    #expect(trail.contains("profileChanged") && trail.contains("lastName, phone"))
    #expect(!trail.contains("King") && !trail.contains("9999"))
  }

  @Test func `the present e-mail address is accepted in any case, and another one is refused`() async throws {
    #expect(try await change(["email": "ADA@example.org", "firstName": "A."]).status == 200)
    let other = try await change(["email": "ada@example.com", "firstName": "B."])
    #expect(other.status == 422 && other.json.refusal == "requirementsNotMet")
    #expect(other.json["message"]?.text?.contains("enrol a new wallet") == true)
    let shown = try await server.wallet("GET", WalletPath.profile, by: device, session: session)
    #expect(shown.json["firstName"]?.text == "A.")
  }

  @Test func `the page of the users shows the names and the number as text`() async throws {
    #expect(try await change(["firstName": "<b>", "lastName": "King"]).status == 200)
    let client = PageClient(server)
    _ = try await client.logIn()
    let page = try await client.get("/operator").text
    #expect(page.contains("&lt;b&gt; King") && page.contains("+44 20 1234") && !page.contains("<b>"), "\(page)")
  }

  @Test(
    arguments: [
      (["phone": "twelve"], 422), (["firstName": "  "], 422), (["phone": "1"], 400), (["lastName": ""], 400),
    ] as [(JSONValue, Int)])
  func `a member without its form is refused`(_ body: JSONValue, _ status: Int) async throws {
    #expect(try await change(body).status == status)
  }

  @Test func `the profile needs an open session of the wallet`() async throws {
    let prompt = try await server.logIn(scope: .lostDevice, by: device).json
    let token = try WalletSession(await server.answer(prompt, by: device, links: false).json).session
    #expect(try await change(["phone": "123"], session: token).json.refusal == "notLoggedIn")
    server.advance(seconds: 601)
    #expect(try await change(["phone": "123"]).json.refusal == "notLoggedIn")
    let unsigned = try await server.send("GET", WalletPath.profile)
    #expect(unsigned.0.status == 401)
  }
}
