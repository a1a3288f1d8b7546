import Documents
import JSON
import Testing

@testable import FIDOUAF

@Suite("Codes of both layers")
struct CodeTests {
  static let layers: [(ASMStatus, UAFErrorCode)] = [
    (.ok, .noError), (.error, .unknown), (.accessDenied, .authenticatorAccessDenied),
    (.userCancelled, .userCancelled), (.cannotRenderTransactionContent, .invalidTransactionContent),
    (.keyDisappearedPermanently, .keyDisappearedPermanently), (.authenticatorDisconnected, .noSuitableAuthenticator),
    (.userNotResponsive, .userNotResponsive), (.insufficientResources, .insufficientAuthenticatorResources),
    (.userLockout, .userLockout), (.userNotEnrolled, .userNotEnrolled),
  ]

  @Test func `the status of a module becomes the code of the client`() {
    #expect(Self.layers.map(\.0) == ASMStatus.allCases)
    for (status, code) in Self.layers { #expect(UAFErrorCode(status) == code) }
  }

  @Test func `a cancellation has one number in both layers`() {
    #expect(ASMStatus.userCancelled.rawValue == 0x03)
    #expect(UAFErrorCode.userCancelled.rawValue == 0x03)
  }

  @Test func `bodies of the HTTP binding are written as they are read`() throws {
    let get = GetUAFRequest(.registration, context: #"{"username":"alice"}"#)
    #expect(try GetUAFRequest(get.json) == get)
    let request = ReturnUAFRequest(.ok, message: "[]", operation: .authentication, lifetimeMilliseconds: 120_000)
    #expect(try ReturnUAFRequest(request.json) == request)
    let response = SendUAFResponse(message: "[{}]")
    #expect(try SendUAFResponse(response.json) == response)
    let result = ServerResponse(
      .unknownKeyID, summary: "x", tokens: [ServerResponse.Token(type: "JWT", value: "a.b.c")])
    #expect(try ServerResponse(result.json) == result)
    #expect(throws: DocumentError.self) { try GetUAFRequest(["op": "Register"]) }
    #expect(throws: DocumentError.self) { try ReturnUAFRequest(["statusCode": "1200"]) }
    #expect(throws: DocumentError.self) { try SendUAFResponse([:]) }
    #expect(throws: DocumentError.self) { try ServerResponse(["statusCode": 200]) }
  }
}
