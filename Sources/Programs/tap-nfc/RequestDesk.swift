import Dispatch
import Foundation
import NFCReader
import Synchronization

/// Where requests wait for the thread that works with libnfc, and where an abort finds the call that blocks.
final class RequestDesk: Sendable {
  private struct State {
    var requests: [NFCRequest] = []
    var isClosed = false
    var isAbortWanted = false
    /// What ends the call that blocks now.
    var abort: (@Sendable () -> Void)?
    /// Whether only the end of the engine ends that call.
    var heedsOnlyClosing = false
    var hasAborted = false
    /// Whether a thread repeats the abort. Each time costs a descriptor until the call ends, and libnfc ends its process
    /// over descriptors beyond 1023: a second thread would only be harmful.
    var isRepeating = false

    /// Whether the call that blocks must end.
    var mustEndCall: Bool { abort != nil && (isClosed || isAbortWanted && !heedsOnlyClosing) }

    /// Whether a thread must begin to repeat the abort.
    mutating func beginsRepeating() -> Bool {
      guard mustEndCall, !isRepeating else { return false }
      isRepeating = true
      return true
    }
  }

  private let state = Mutex(State())
  private let pipes = AbortPipes()
  private let arrived = DispatchSemaphore(value: 0)

  /// How long the device may take to be left in order once the engine is gone; a call of libnfc may block for ever.
  private static let leaving = 1.4

  /// Reads requests on a thread of its own until the engine is gone, which ends the process.
  func listen(on socket: consuming NFCSocket) {
    let received = Mutex(Optional(socket))
    Thread.detachNewThread {
      guard var socket = received.withLock({ $0.take() }) else { return }
      while case .message(let octets)? = try? socket.receive(timeout: nil), let request = NFCRequest(octets) {
        if request == .abort { self.abort() } else { self.post(request) }
      }
      self.close()
      Thread.sleep(forTimeInterval: Self.leaving)
      exit(0)
    }
  }

  private func post(_ request: NFCRequest) {
    state.withLock { $0.requests.append(request) }
    arrived.signal()
  }

  private func close() {
    state.withLock { $0.isClosed = true }
    arrived.signal()
    abort()
  }

  /// Waits for the next request; nil when there will be none.
  func next() -> NFCRequest? {
    arrived.wait()
    return state.withLock { $0.isClosed || $0.requests.isEmpty ? nil : $0.requests.removeFirst() }
  }

  /// Lets an abort end a call that blocks; the end of the engine always does.
  ///
  /// libnfc loses an abort that comes before its call has begun to wait, so it is repeated until the call returns.
  func abortable<Result>(
    _ abort: @escaping @Sendable () -> Void, onlyByClosing: Bool = false, _ call: () -> Result
  ) -> Result {
    let begins = state.withLock { state in
      state.abort = abort
      state.heedsOnlyClosing = onlyByClosing
      return state.beginsRepeating()
    }
    if begins { repeatAbort() }
    defer {
      state.withLock { state in
        if state.hasAborted { pipes.sweep() }
        state.hasAborted = false
        state.abort = nil
        if !onlyByClosing { state.isAbortWanted = false }
      }
    }
    return call()
  }

  /// Drops an abort for which no call was there.
  func forgetAbort() { state.withLock { $0.isAbortWanted = false } }

  private func abort() {
    let begins = state.withLock { state in
      state.isAbortWanted = true
      return state.beginsRepeating()
    }
    if begins { repeatAbort() }
  }

  private func repeatAbort() {
    Thread.detachNewThread {
      while self.abortOnce() { usleep(5_000) }
    }
  }

  /// Under the lock, so that no abort meets the call after, or a device that is closed.
  private func abortOnce() -> Bool {
    state.withLock { state in
      guard state.mustEndCall, let abort = state.abort else {
        state.isRepeating = false
        return false
      }
      state.hasAborted = true
      abort()
      return true
    }
  }
}
