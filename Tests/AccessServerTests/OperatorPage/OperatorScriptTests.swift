import AccessMessages
@testable import AccessServer
import EMVCard
import Fixtures
import Foundation
import JSON
@testable import OperatorPages
@testable import ServerStore
import Testing

@Suite("The operator's page: script orders")
struct OperatorScriptTests {
  private let client: PageClient
  private let card: String

  init() async throws {
    let cards = try await TestCards(of: try ScriptRulesTests.template())
    card = try await cards.add().card.id
    client = PageClient(cards.server)
    _ = try await client.logIn()
  }

  private var path: String { PagePath.scripts + "?id=" + card }

  private func order(_ fields: PageClient.Fields) async throws -> Page {
    let token = try await client.get(path).formToken()
    return try await client.post(PagePath.scripts, ["formToken": token, "id": card].merging(fields) { $1 })
  }

  @Test func `a card without orders says what to do, and the list of cards leads to it`() async throws {
    #expect(try await client.get(PagePath.cards).text.contains("href=\"/operator/scripts?id=\(card)\""))
    let page = try await client.get(path)
    #expect(page.status == 200 && page.text.contains("No order stands for this card. Choose a command below."))
  }

  @Test func `an order stands until it is cancelled`() async throws {
    let ordered = try await order(["command": "putData", "tag": "9F58", "value": "07"])
    #expect(ordered.status == 303 && ordered.location?.contains("done=scriptOrdered") == true)
    #expect(try await order(["command": "blockApplication", "tag": "", "value": ""]).status == 303)
    let page = try await client.get(path)
    for text in ["APPLICATION BLOCK", "PUT DATA 9F58", "not sent yet"] { #expect(page.text.contains(text), "\(text)") }
    #expect(try await client.get(PagePath.cards).text.contains("PUT DATA 9F58"))

    let form = try #require(page.forms.first { $0.button == "Cancel order" })
    let cancelled = try await client.post(form.action, form.fields)
    #expect(cancelled.status == 303 && cancelled.location?.contains("id=\(card)") == true)
    #expect(try await client.get(path).forms.count { $0.button == "Cancel order" } == 1)
    let trail = try await client.get(PagePath.audit).text
    #expect(trail.contains("script ordered") && trail.contains("script cancelled"))
  }

  @Test(arguments: [
    (
      ["command": "putData", "tag": "9F5A", "value": "07"], 403,
      "the card lets scripts write only 9F58, 9F59, DF61, not 9F5A"
    ),
    (["command": "putData", "tag": "9F58", "value": ""], 400, "PUT DATA needs a tag and a value"),
    (["command": "putData", "tag": "9", "value": "07"], 400, "tag must be a tag of one or two bytes in hexadecimal"),
    (["command": "putData", "tag": "9F58", "value": "7"], 400, "value must be 1 to 64 bytes in hexadecimal"),
    (["command": "blockApplication", "tag": "9F58"], 400, "tag and value belong to PUT DATA alone"),
    (["command": "blockCard"], 403, "CARD BLOCK cannot be lifted: order it with tap-server card script"),
    (["command": "format"], 400, "choose one of the commands"), ([:], 400, "choose one of the commands"),
  ])
  func `a refused order shows its form again, with its values and the reason`(
    _ fields: PageClient.Fields, status: Int, reason: String
  ) async throws {
    let page = try await order(fields)
    #expect(page.status == status && page.text.contains("Refused: \(reason)"), "\(page.status) \(page.text)")
    #expect(!page.text.contains("$.") && page.text.contains("No order stands") && page.text.contains("<button>Order<"))
    for name in ["tag", "value"] {
      if let value = fields[name], !value.isEmpty { #expect(page.text.contains("value=\"\(value)\"")) }
    }
    if fields["command"] == "putData" { #expect(page.text.contains("value=\"putData\" selected>")) }
    #expect(try await client.get(path).text.contains("No order stands"))
  }

  @Test func `the page belongs to Cards, and its title names the card`() async throws {
    let text = try await client.get(path).text
    #expect(text.contains("<a href=\"/operator/cards\" aria-current=\"true\">Cards</a>"))
    #expect(text.contains(/<title>Script orders: [^<]+, ending with [0-9]{4} - tap-server<\/title>/))
    #expect(try await client.get(PagePath.cards).text.contains("aria-current=\"page\">Cards</a>"))
  }

  @Test func `on paper, a page has no form and no link to one`() async throws {
    #expect(try await client.get(path).text.contains("<section class=\"screen\"><h2>Order a command</h2>"))
    #expect(try await client.get(PagePath.cards).text.contains("<a class=\"screen\" href=\"/operator/scripts?id="))
    let trail = try await client.get(PagePath.audit + "?event=payment&account=alice&to=2027-01-15T08:03").text
    #expect(trail.contains("<p class=\"paper\">Shown: account alice, event payment, to 2027-01-15 08:03 UTC.</p>"))
    #expect(try await client.get(PagePath.audit).text.contains("<p class=\"paper\">Shown: all entries.</p>"))
  }

  @Test func `a card without scripts has no form but the reason`() async throws {
    let cards = try await TestCards()
    let card = try await cards.add().card.id
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    let text = try await client.get(PagePath.scripts + "?id=" + card).text
    #expect(text.contains("No command can be ordered: the card takes no issuer scripts") && !text.contains("<select"))
    #expect(!text.contains("Choose a command below"))
  }

  @Test func `a card whose scripts write no tag has no PUT DATA but the reason`() async throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json"))).takingIssuerResponse()
    profile.applications[0].schemeKeys["scripts"] = [:]
    let cards = try await TestCards(of: try CardTemplate(json: profile.json, prefix: "999999"))
    let card = try await cards.add().card.id
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    let text = try await client.get(PagePath.scripts + "?id=" + card).text
    #expect(text.contains("PUT DATA cannot be ordered: the card lets scripts write no tag."))
    #expect(text.contains("value=\"blockApplication\"") && !text.contains("value=\"putData\""))
    #expect(!text.contains("id=\"tag\""))
  }

  @Test func `a deleted card has no form but the reason`() async throws {
    let card = card
    try await client.server.store.write { store throws(AccessError) in
      guard var record = try store.card(card) else { return }
      record.state = .deleted
      try store.save(record)
    }
    let text = try await client.get(path).text
    #expect(text.contains("No command can be ordered: the card is deleted.") && !text.contains("<select"))
  }

  @Test func `an unknown card and an order of another session change nothing`() async throws {
    #expect(try await client.get(PagePath.scripts + "?id=unknown").status == 404)
    let foreign = try await client.post(
      PagePath.scripts, ["formToken": "foreign", "id": card, "command": "blockApplication"])
    #expect(foreign.status == 403)
    #expect(try await client.get(path).text.contains("No order stands"))
  }

  @Test func `the root leads to the page, and other paths without a name do not`() async throws {
    let root = try await client.get("/")
    #expect(root.status == 303 && root.location == PagePath.users)
    #expect(try await client.get("//").status == 404)
  }

  @Test(arguments: [("deviceUnlinked", "device unlinked"), ("payment", "payment"), ("", "")])
  func `a code is shown in words`(code: String, words: String) { #expect(PageValue.words(code) == words) }

  @Test(arguments: [
    ("00", "approved (00)"), ("51", "not sufficient funds (51)"), ("Q7", "code Q7"), ("", "code "),
  ])
  func `a response code is shown in words`(code: String, words: String) {
    #expect(PageValue.responseCode(code) == words)
  }
}
