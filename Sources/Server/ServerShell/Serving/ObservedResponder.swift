internal import AccessMessages
internal import JSON
internal import Octets

/// Gives each request an identifier, states it in the response, and reports the response to the log and to the metrics.
struct ObservedResponder: AccessResponding {
  /// The header of a response with the identifier of its request.
  static let headerName = "x-request-id"

  let base: any AccessResponding
  let observation: ServerObservation

  /// Answers a request. An identifier that the client sends is ignored: it could contain anything, and stand for several
  /// requests.
  func respond(to request: AccessRequest) async -> AccessResponse {
    let start = SystemClock().now
    let identifier = SystemRandomSource().octets(16).hex.lowercased()
    var response = await base.respond(to: request)
    if response.outcome.route == nil { response.outcome.route = base.routeName(of: request) }
    response.headers.append((name: Self.headerName, value: identifier))
    if let failure = response.outcome.failure {
      response.body = Array(failure.json(requestID: identifier).compact.utf8)
    }
    observation.report(
      ObservedRequest(
        identifier: identifier, address: request.address, status: response.status, outcome: response.outcome,
        duration: SystemClock().now - start))
    return response
  }
}
