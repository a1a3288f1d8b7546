/// What is reported of a request that was answered.
struct ObservedRequest: Sendable {
  let identifier: String
  /// The address of the client.
  let address: String
  /// The HTTP status of the response.
  let status: Int
  let outcome: RequestOutcome
  /// The time from the last byte of the request until the response was made. The time to send it is not in it.
  let duration: Duration

  /// The name of the route, or that of all unknown ones.
  var route: String { outcome.route ?? RequestOutcome.unknownRoute }
}
