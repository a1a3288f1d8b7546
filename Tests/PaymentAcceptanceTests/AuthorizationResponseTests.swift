import EMVTerminal
import Octets
import PaymentAcceptance
import Testing

@Suite("The host's response in a recording") struct AuthorizationResponseTests {
  @Test(arguments: [
    ("approved 000042", AuthorizationResponse.approved(code: "000042")),
    ("declined the cryptogram is wrong", .declined(reason: "the cryptogram is wrong")),
    ("unknown there is no host to ask", .unknownCard(reason: "there is no host to ask")),
    ("declined see [note]", .declined(reason: "see [note]")), ("", .unknownCard(reason: "")),
  ])
  func `a recording of an earlier version is read as before`(_ text: String, _ response: AuthorizationResponse) {
    #expect(AuthorizationResponse(recorded: text) == response)
  }

  @Test func `a recording keeps tags 8A, 91, 71 and 72`() throws {
    let data = IssuerData(
      responseCode: [0x30, 0x30], authenticationData: [UInt8](repeating: 7, count: 10),
      scripts: try [UInt8](hex: "720686048C1E0000"))
    let response = AuthorizationResponse.approved(code: "000042", data)
    #expect(response.recorded == "approved 000042 [8A023030910A07070707070707070707720686048C1E0000]")
    #expect(AuthorizationResponse(recorded: response.recorded) == response)
    let declined = AuthorizationResponse.declined(reason: "the card has expired [2]", data)
    #expect(AuthorizationResponse(recorded: declined.recorded) == declined)
  }
}
