import Documents
import FIDOUAF
import JSON
import TestSupport
import Testing

@testable import AccessMessages

@Suite("Problems of messages")
struct MessageProblemTests {
  private static let readers: [String: @Sendable (String) throws -> Void] = [
    "uafRequest": { _ = try UAFMessage(request: $0) },
    "uafResponse": { _ = try UAFMessage(response: $0) },
    "facets": { _ = try TrustedFacetList(json($0)) },
    "parameters": { _ = try FinalChallengeParameters(encoded: $0, at: "$[0].fcParams") },
    "requestContext": { _ = try RequestContext(json($0)) },
    "deviceRequest": { _ = try DeviceRequest(json($0)) },
    "target": { _ = try DispatchTargetRegistration(json($0)) },
    "dispatch": { _ = try DispatchRequest(json($0)) },
    "payload": { _ = try OutOfBandPayload(json($0)) },
    "payloadText": { _ = try OutOfBandPayload(base64URL: $0) },
    "session": { _ = try SessionRequest(json($0)) },
    "recovery": { _ = try RecoveryRequest(json($0)) },
    "profile": { _ = try UserProfile(json($0)) },
    "requirements": { _ = try PasswordRequirements(json($0)) },
    "authorization": { _ = try PaymentAuthorizationRequest(json($0)) },
    "deviceState": { _ = try DeviceStateChange(json($0)) },
    "failure": { _ = try AccessFailure(json($0)) },
  ]

  private static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

  @Test(arguments: try WrongDocument.all("messages"))
  func `a wrong message has the recorded problems`(_ wrong: WrongDocument) throws {
    let read = try #require(Self.readers[wrong.kind])
    var problems: [String] = []
    do { try read(wrong.document) } catch { problems = ["\(error)"] }
    #expect(problems == wrong.problems)
  }
}
