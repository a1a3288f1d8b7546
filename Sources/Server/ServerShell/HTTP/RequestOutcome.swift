package import AccessMessages

/// What logs and metrics report of a response: no part of the path, the headers or the bodies.
package struct RequestOutcome: Sendable {
  /// The name of all paths and methods that the server does not have.
  package static let unknownRoute = "unknown"

  /// The name of the route; nil when the request has none, or did not reach it.
  package var route: String?
  /// Why the request was refused: a code of `AccessFailure` or a status code of FIDO UAF; nil when it was not.
  private(set) var refusal: String?
  /// The secret that is locked; nil for any other response.
  private(set) var lockout: String?
  /// The refusal whose JSON is the body; nil for another body.
  private(set) var failure: AccessFailure?

  /// The outcome of a request that is not refused.
  package init() {}

  /// The outcome of a request that is refused in JSON.
  package init(_ failure: AccessFailure) {
    self.init(onPage: failure)
    self.failure = failure
  }

  /// The outcome of a request that is refused in HTML.
  package init(onPage failure: AccessFailure) {
    (refusal, lockout) = (failure.code.rawValue, failure.lockout)
  }

  /// The outcome of a request that is refused in a body of its own.
  ///
  /// - Parameter refusal: The code of the refusal; nil when the request is not refused.
  package init(refusal: String?) { self.refusal = refusal }
}
