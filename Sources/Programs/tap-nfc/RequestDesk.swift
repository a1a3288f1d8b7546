import Dispatch
import Foundation
import NFCReader
import Synchronization

/// Where requests wait for the thread that works with libnfc, and where an abort finds the call that blocks.
final class RequestDesk: Sendable {
  private struct State {
    var requests: [HelperRequest] = []
    var isClosed = false
    var isAbortWanted = false
    /// What ends the call that blocks now.
    var abort: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  /// Reads requests on a thread of its own until the engine is gone, which ends the process at once: a call of libnfc
  /// may block for ever.
  func listen(on socket: consuming HelperSocket) {
    let received = Mutex(Optional(socket))
    Thread.detachNewThread {
      guard var socket = received.withLock({ $0.take() }) else { return }
      while case .message(let octets)? = try? socket.receive(timeout: nil), let request = HelperRequest(octets) {
        if request == .abort { self.abort() } else { self.post(request) }
      }
      exit(0)
    }
  }

  private func post(_ request: HelperRequest) {
    state.withLock { $0.requests.append(request) }
    arrived.signal()
  }

  /// Waits for the next request.
  func next() -> HelperRequest? {
    arrived.wait()
    return state.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
  }

  /// Lets an abort end a call that blocks.
  ///
  /// libnfc loses an abort that comes before its call has begun to wait, so it is repeated until the call returns.
  func abortable<Result>(_ abort: @escaping @Sendable () -> Void, _ call: () -> Result) -> Result {
    state.withLock { $0.abort = abort }
    if state.withLock({ $0.isAbortWanted }) { repeatAbort() }
    defer {
      state.withLock { state in
        state.abort = nil
        state.isAbortWanted = false
      }
    }
    return call()
  }

  private func abort() {
    let isWaiting = state.withLock { state in
      state.isAbortWanted = true
      return state.abort != nil
    }
    if isWaiting { repeatAbort() }
  }

  private func repeatAbort() {
    Thread.detachNewThread {
      while let abort = self.state.withLock({ $0.isAbortWanted ? $0.abort : nil }) {
        abort()
        usleep(5_000)
      }
    }
  }
}
