import AccessMessages
import Documents
import EMVIssuer
import FIDOUAF
import JSON
@testable import ServerStore
import Testing

@testable import AccessServer

@Suite("The lists of the operator's page")
struct OperatorListTests {
  @Test func `a long list comes in pages, and a form leads back to its page`() async throws {
    let cards = try await TestCards()
    let profile = String(decoding: try cards.profile, as: UTF8.self)
    try await cards.server.store.write { store throws(AccessError) in
      for number in 100..<175 {
        try store.save(
          IssuedCardRecord(
            id: "card-\(number)", device: cards.device.deviceID, account: "alice", delivery: "\(number)", name: "Card",
            profile: profile, createdAt: 1))
      }
    }
    let client = PageClient(cards.server)
    _ = try await client.logIn()
    let first = try await client.get("/operator/cards")
    #expect(first.ids == (100..<150).map { "card-\($0)" })
    let next = try #require(first.text.firstMatch(of: /<a href="([^"]*)">Next page/)).output.1
    let second = try await client.get(String(next))
    #expect(second.ids == (150..<175).map { "card-\($0)" })
    #expect(!second.text.contains("Next page"))
    let suspended = try await client.press("Suspend", on: second, with: "card-160")
    #expect(suspended.location == "/operator/cards?after=card-149&done=cardSuspended")
  }

  @Test func `a pending operation is sent again with a new token, and its status stays the same`() async throws {
    let (server, device, dispatched) = try await Self.dispatched()
    let client = PageClient(server)
    _ = try await client.logIn()
    let page = try await client.get("/operator/operations")
    #expect(page.ids.count == 1)
    #expect(page.text.contains("authentication"))
    let token = try #require(dispatched.token)
    let sessionID = try #require(dispatched.sessionID)
    #expect(!page.text.contains(token) && !page.text.contains(sessionID))

    let answer = try await client.press("Send again", on: page, with: page.ids[0])
    #expect(answer.location == "/operator/operations?done=sentAgain")
    let again = try await client.get("/operator/operations")
    #expect(again.ids.count == 1 && again.ids != page.ids)
    #expect(try await Self.redeem(token, server) == .requestTimeout)
    let fresh = try await Self.pendingTokens(of: device, server)
    #expect(fresh.count == 1)
    #expect(try await Self.redeem(try #require(fresh.first), server) == .ok)
    let status = try await server.send(
      "POST", AccessPath.status, ["sessionId": JSONValue(sessionID)])
    #expect(try OperationStatus(status.json).token?.result == .tokenRedeemed)
    #expect(try await client.get("/operator/operations").text.contains("No operation is pending."))
    #expect(try await client.press("Send again", on: page, with: page.ids[0]).status == 404)
  }

  /// A device of alice to which an authentication was pushed.
  private static func dispatched() async throws -> (TestServer, TestDevice, DispatchResponse) {
    let server = try await TestServer()
    try await server.register(TestAuthenticator(), "alice", deviceID: "device-1")
    let device = try await server.add(TestDevice(), "alice")
    let push = GetUAFRequest(.authentication, context: RequestContext(userName: "alice").json.compact)
    let answer = try await server.send(
      "POST", AccessPath.dispatch(.authentication),
      DispatchRequest(push, dispatcher: DispatchChannel.push.rawValue, targetID: device.targetID).json,
      headers: OperatorTests.asOperator)
    return (server, device, try DispatchResponse(answer.json))
  }

  /// The tokens that the device reads from its list of pending operations.
  private static func pendingTokens(of device: TestDevice, _ server: TestServer) async throws -> [String] {
    let signature = try device.signature(server, .operations)
    let list = try await server.send(
      "GET", AccessPath.deviceOperations(device.deviceID), headers: TestServer.signed(signature))
    return try PendingOperations(list.json).entries.map { entry in
      guard case .encrypted(let text) = entry.payload.content else { throw TestServer.UnexpectedMessage() }
      return try #require(device.decrypt(text)["token"]?.text)
    }
  }

  private static func redeem(_ token: String, _ server: TestServer) async throws -> UAFStatusCode {
    let answer = try await server.send("POST", AccessPath.redeem(.authentication), RedeemRequest(token: token).json)
    return try ReturnUAFRequest(answer.json).status
  }
}

extension Page {
  /// The identifiers in the forms of the page.
  fileprivate var ids: [String] { forms.compactMap { $0.fields["id"] } }
}

extension TestCards {
  /// A card profile with account numbers.
  fileprivate var profile: [UInt8] {
    get throws { try Self.template("visa-cvn18").card(numberedFrom: 1, "999999", of: Issuer(keys: .publicTest)).json }
  }
}
