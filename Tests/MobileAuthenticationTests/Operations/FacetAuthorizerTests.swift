import AccessMessages
import Documents
import FIDOUAF
import JSON
import Testing

@testable import MobileAuthentication

/// Lists of trusted facets, as servers return them.
struct FacetAuthorizerTests {
  private static let url = "https://example.org/facets"
  private static let type = HTTPField("Content-Type", TrustedFacetList.mediaType)

  private static func list(_ facet: String, minor: UInt16 = 1) -> HTTPResponse {
    let list = TrustedFacetList([UAFVersion(major: 1, minor: minor): [facet]])
    return HTTPResponse(status: 200, fields: [type], body: Array(list.json.compact.utf8))
  }

  private static func redirection(_ fields: [HTTPField]) -> HTTPResponse { HTTPResponse(status: 302, fields: fields) }

  private static func authorize(
    _ answers: [HTTPResponse], applicationID: String? = url
  ) async throws -> (applicationID: String, exchanges: Int) {
    let stage = try ClientStage { _, number in .success(answers[min(number, answers.count - 1)]) }
    let authorizer = FacetAuthorizer(http: stage, facetID: "ios:bundle-id:tests", limits: HTTPLimits())
    let header = OperationHeader(.registration, applicationID: applicationID)
    return (try await authorizer.applicationID(for: header), stage.requests.count)
  }

  @Test func `a facet in the list is trusted`() async throws {
    let result = try await Self.authorize([Self.list("ios:bundle-id:tests")])
    #expect(result.applicationID == Self.url && result.exchanges == 1)
  }

  @Test(arguments: [nil, "", "ios:bundle-id:tests"])
  func `a request of the facet itself needs no list`(_ applicationID: String?) async throws {
    let result = try await Self.authorize([HTTPResponse(status: 500)], applicationID: applicationID)
    #expect(result.applicationID == "ios:bundle-id:tests" && result.exchanges == 0)
  }

  @Test(arguments: [
    list("ios:bundle-id:other"), list("ios:bundle-id:tests", minor: 0),
    HTTPResponse(status: 200, body: list("ios:bundle-id:tests").body),
    HTTPResponse(
      status: 200, fields: [HTTPField("Content-Type", "application/json")], body: list("ios:bundle-id:tests").body),
    HTTPResponse(status: 200, fields: [type], body: Array("{".utf8)), HTTPResponse(status: 404),
    redirection([HTTPField("Location", url)]), redirection([HTTPField("FIDO-AppID-Redirect-Authorized", "true")]),
    redirection([HTTPField("FIDO-AppID-Redirect-Authorized", "true"), HTTPField("Location", url)]),
  ])
  func `a list that breaks a rule ends with UNTRUSTED_FACET_ID`(_ answer: HTTPResponse) async {
    await #expect { try await Self.authorize([answer]) } throws: { error in
      (error as? OperationError)?.code == "UNTRUSTED_FACET_ID"
    }
  }

  @Test func `an authorised redirection is followed`() async throws {
    let fields = [
      HTTPField("FIDO-AppID-Redirect-Authorized", "true"), HTTPField("Location", "https://other.example/list"),
    ]
    let result = try await Self.authorize([Self.redirection(fields), Self.list("ios:bundle-id:tests")])
    #expect(result.applicationID == Self.url && result.exchanges == 2)
  }
}
