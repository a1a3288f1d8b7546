internal import Links

/// A result that one thread provides and another thread waits for. Only the first result counts: a caller that stops
/// waiting sets its own error, and a result that comes later is ignored.
final class PendingResult<Value: Sendable>: Sendable {
  private let result = WaitableState<Result<Value, LinkError>?>(nil)

  /// Whether there is no result yet, so that a caller may still wait for one.
  var isPending: Bool { result.read { $0 == nil } }

  /// Sets the result.
  ///
  /// - Returns: Whether this is the first result.
  @discardableResult
  func complete(_ new: Result<Value, LinkError>) -> Bool {
    result.update { result in
      guard result == nil else { return false }
      result = new
      return true
    }
  }

  /// Forgets a result that was read, so that the next request can use this object.
  func reset() { result.update { $0 = nil } }

  /// Blocks until there is a result.
  ///
  /// - Parameters:
  ///   - limit: How long to wait; nil is without a limit.
  ///   - timeout: The error that becomes the result when the time is up.
  /// - Throws: The error that is the result.
  func value(within limit: Duration?, orFailWith timeout: @autoclosure () -> LinkError) throws(LinkError) -> Value {
    if let result = result.wait(for: limit, until: { $0 }) { return try result.get() }
    let failure = Result<Value, LinkError>.failure(timeout())
    return try result.update { result in
      let final = result ?? failure
      result = final
      return final
    }.get()
  }
}
