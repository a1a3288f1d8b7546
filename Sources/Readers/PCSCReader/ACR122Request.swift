internal import Dispatch
internal import Links
internal import Octets
internal import Synchronization

/// One command for a chip, and the place where its result is waited for. The first result stays: somebody who stops
/// waiting settles it, and what the chip answers later is for nobody.
final class ACR122Request: Sendable {
  /// The command's code and its parameters.
  let command: [UInt8]

  private let outcome = Mutex<Result<[UInt8], LinkError>?>(nil)
  private let settled = DispatchSemaphore(value: 0)

  init(_ command: [UInt8]) {
    self.command = command
  }

  /// Whether somebody may still want the result.
  var isOpen: Bool { outcome.withLock { $0 == nil } }

  func settle(_ result: Result<[UInt8], LinkError>) {
    let isFirst = outcome.withLock { outcome in
      guard outcome == nil else { return false }
      outcome = result
      return true
    }
    if isFirst { settled.signal() }
  }

  /// Blocks until there is a result. Only one thread may wait, and once.
  ///
  /// - Parameter timeout: nil is for ever.
  /// - Returns: nil when the time is up; the request stays open.
  func result(timeout: Duration?) throws(LinkError) -> [UInt8]? {
    if let timeout {
      _ = settled.wait(timeout: .now() + .nanoseconds(Int(clamping: timeout.nanoseconds)))
    } else {
      settled.wait()
    }
    return try outcome.withLock { $0 }?.get()
  }
}
