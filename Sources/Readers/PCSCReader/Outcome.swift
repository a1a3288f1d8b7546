internal import Dispatch
internal import Links
internal import Synchronization

/// A result that one thread settles and another one waits for. The first result stays: whoever stops waiting settles it,
/// and what comes later is for nobody.
final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, LinkError>?>(nil)
  private let settled = DispatchSemaphore(value: 0)

  /// Whether somebody may still want the result.
  var isOpen: Bool { result.withLock { $0 == nil } }

  /// - Returns: Whether this is the first result.
  @discardableResult
  func settle(_ new: Result<Value, LinkError>) -> Bool {
    let isFirst = result.withLock { result in
      guard result == nil else { return false }
      result = new
      return true
    }
    if isFirst { settled.signal() }
    return isFirst
  }

  /// Blocks until there is a result.
  ///
  /// - Parameters:
  ///   - limit: How long; nil is for ever.
  ///   - late: The result when the time is up.
  func value(within limit: Duration?, else late: @autoclosure () -> LinkError) throws(LinkError) -> Value {
    let deadline = limit.map(DispatchTime.init(after:)) ?? .distantFuture
    while true {
      if let result = result.withLock({ $0 }) { return try result.get() }
      if settled.wait(timeout: deadline) == .timedOut { settle(.failure(late())) }
    }
  }
}
