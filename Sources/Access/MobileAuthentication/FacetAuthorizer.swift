internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JSON

/// Decides whether this application may use the keys of an application identifier (FIDO AppID and Facet Specification 1.1,
/// section 3.1.2).
struct FacetAuthorizer: Sendable {
  /// The redirections that are followed at most. The specification sets no limit.
  static let maximumRedirections = 5

  let http: any HTTPExchange
  let facetID: String
  let limits: HTTPLimits

  /// The application identifier for the messages of an operation.
  ///
  /// - Throws: `.fido(.untrustedFacetID)` with the rule that failed.
  func applicationID(for header: OperationHeader) async throws(OperationError) -> String {
    switch FacetDecision(applicationID: header.applicationID, facetID: facetID) {
    case .trusted(let applicationID): return applicationID
    case .untrusted: throw untrusted("the application identifier is neither the facet nor an https URL", header)
    case .list(let url):
      let list = try await list(at: url, header)
      guard list.trusts(facetID, version: header.version, applicationID: url) else {
        throw untrusted(
          "the list has no such facet for version \(header.version.major).\(header.version.minor)", header)
      }
      return url
    }
  }

  private func list(at url: String, _ header: OperationHeader) async throws(OperationError) -> TrustedFacetList {
    var url = url
    for _ in 0...Self.maximumRedirections {
      let response = try await fetch(url, header)
      switch response.status {
      case 200: return try read(response, header)
      case 301, 302, 303, 307, 308: url = try redirection(of: response, header)
      default: throw untrusted("the list was answered with HTTP status \(response.status)", header)
      }
    }
    throw untrusted("the list was redirected more than \(Self.maximumRedirections) times", header)
  }

  private func fetch(_ url: String, _ header: OperationHeader) async throws(OperationError) -> HTTPResponse {
    let limits = HTTPLimits(time: limits.time, bodyCount: TrustedFacetList.maximumCount)
    let accept = HTTPField("Accept", TrustedFacetList.mediaType)
    do throws(HTTPExchangeError) {
      return try await http.send(HTTPRequest(.get, url, fields: [accept], limits: limits))
    } catch .tooLarge(let limit) {
      throw untrusted("the list is larger than \(limit) bytes", header)
    } catch .insecureURL {
      throw untrusted("the list is not at an https URL", header)
    } catch {
      throw OperationError(error)
    }
  }

  private func read(_ response: HTTPResponse, _ header: OperationHeader) throws(OperationError) -> TrustedFacetList {
    guard let type = response.fields.value("Content-Type"), MediaType.header(type, states: TrustedFacetList.mediaType)
    else { throw untrusted("the list must have the type \(TrustedFacetList.mediaType)", header) }
    guard let json = try? JSONValue(parsing: response.body) else { throw untrusted("the list is not JSON", header) }
    do throws(DocumentError) {
      return try TrustedFacetList(json)
    } catch {
      throw untrusted("the list has the wrong form: \(error)", header)
    }
  }

  private func redirection(of response: HTTPResponse, _ header: OperationHeader) throws(OperationError) -> String {
    guard response.fields.value("FIDO-AppID-Redirect-Authorized")?.lowercased() == "true" else {
      throw untrusted("the list was redirected without FIDO-AppID-Redirect-Authorized", header)
    }
    guard let url = response.fields.value("Location") else { throw untrusted("a redirection has no location", header) }
    return url
  }

  private func untrusted(_ reason: String, _ header: OperationHeader) -> OperationError {
    .fido(.untrustedFacetID, cause: "facet \(facetID), application \(header.applicationID ?? "-"): \(reason)")
  }
}
