import JSON
import Testing

@testable import FIDOUAF

@Suite("Codes of the three layers")
struct CodeTests {
  static let layers: [(AuthenticatorStatus, registration: UAFErrorCode, otherwise: UAFErrorCode)] = [
    (.ok, .noError, .noError), (.unknownError, .unknown, .unknown),
    (.accessDenied, .authenticatorAccessDenied, .authenticatorAccessDenied),
    (.userNotEnrolled, .userNotEnrolled, .authenticatorAccessDenied),
    (.cannotRenderTransactionContent, .invalidTransactionContent, .invalidTransactionContent),
    (.userCancelled, .userCancelled, .userCancelled), (.commandNotSupported, .unknown, .unknown),
    (.attestationNotSupported, .unknown, .unknown), (.parametersInvalid, .unknown, .unknown),
    (.keyDisappearedPermanently, .keyDisappearedPermanently, .keyDisappearedPermanently),
    (.timeout, .unknown, .unknown),
    (.userNotResponsive, .userNotResponsive, .userNotResponsive),
    (.insufficientResources, .insufficientAuthenticatorResources, .insufficientAuthenticatorResources),
    (.userLockout, .userLockout, .userLockout),
  ]

  @Test func `the status of a command becomes the code of the client through the status of the module`() {
    #expect(Set(Self.layers.map(\.0)) == Set(AuthenticatorStatus.allCases))
    for (status, registration, otherwise) in Self.layers {
      #expect(UAFErrorCode(ASMStatus(status, isRegistration: true)) == registration)
      #expect(UAFErrorCode(ASMStatus(status, isRegistration: false)) == otherwise)
    }
  }

  @Test func `a number without a meaning is an unknown error`() {
    for status in AuthenticatorStatus.allCases { #expect(AuthenticatorStatus(number: status.rawValue) == status) }
    #expect(AuthenticatorStatus(number: 0x7F) == .unknownError)
    #expect(UAFErrorCode(ASMStatus(AuthenticatorStatus(number: 0x7F), isRegistration: false)) == .unknown)
  }

  @Test func `a cancellation has three numbers`() {
    #expect(AuthenticatorStatus.userCancelled.rawValue == 0x05)
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
    #expect(throws: UAFMessageError.self) { try GetUAFRequest(["op": "Register"]) }
    #expect(throws: UAFMessageError.self) { try ReturnUAFRequest(["statusCode": "1200"]) }
    #expect(throws: UAFMessageError.self) { try SendUAFResponse([:]) }
    #expect(throws: UAFMessageError.self) { try ServerResponse(["statusCode": 200]) }
  }
}
