import AccessMessages
import Documents
import JSON
import Testing

/// The example of the article of AccessMessages.
struct AccessMessagesExample {
  private let answer = Array(#"{"session": "s", "idleSeconds": 600, "scope": "wallet"}"#.utf8)
  private let refused = Array(#"{"code": "deviceInactive", "message": "the issuer has deactivated the device"}"#.utf8)

  @Test func `the article of AccessMessages writes a login and reads its answer`() throws {
    let request = SessionRequest.pin("7413")
    let octets = Array(request.json.compact.utf8)
    print("POST", WalletPath.sessions, octets.count, "octets")

    let session = try WalletSession(JSONValue(parsing: answer))
    let refusal = try AccessFailure(JSONValue(parsing: refused))
    print(session.idleSeconds, refusal.code, refusal.message)

    #expect(octets == Array(#"{"pin": "7413"}"#.utf8))
    #expect(session == WalletSession(session: "s", idleSeconds: 600))
    #expect(refusal.code == .deviceInactive)
  }
}
