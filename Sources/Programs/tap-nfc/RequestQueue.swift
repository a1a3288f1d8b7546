import Foundation
import Glibc
import Links
import NFCReader

/// The queue of requests for the thread that calls libnfc. It also ends a call of libnfc that blocks.
///
/// The queue is closed when the socket of the program that started this process ends, or by `close()`. From then on
/// every blocking call is aborted, and `next()` returns nil.
final class RequestQueue: Sendable {
  private struct State: Sendable {
    var requests: [NFCRequest] = []
    var isClosed = false
    var isAbortRequested = false
    /// Aborts the call that blocks now.
    var abortCall: (@Sendable () -> Void)?
    /// Whether that call is aborted only when the queue is closed.
    var abortsOnlyOnClose = false
    var hasAborted = false
    /// Whether a thread repeats the abort. Each abort uses a descriptor until the call returns, and libnfc ends its
    /// process at descriptors above 1023, so one thread is enough.
    var isRepeating = false

    var mustAbort: Bool { abortCall != nil && (isClosed || isAbortRequested && !abortsOnlyOnClose) }

    /// - Returns: Whether the caller must start the thread that repeats the abort.
    mutating func startsRepeating() -> Bool {
      guard mustAbort, !isRepeating else { return false }
      isRepeating = true
      return true
    }
  }

  private let state = WaitableState(State())
  private let pipes = AbortPipes()

  /// Receives requests on a thread of its own until the peer closes its end; then closes the queue.
  func receive(from socket: consuming NFCSocket) {
    let handOver = WaitableState(Optional(socket))
    Thread.detachNewThread {
      guard var socket = handOver.update({ $0.take() }) else { return }
      while case .message(let octets)? = try? socket.receive(timeout: nil), let request = NFCRequest(octets) {
        if request == .abort { self.abort() } else { self.state.update { $0.requests.append(request) } }
      }
      self.close()
    }
  }

  /// Ends the call that blocks and all later ones, and lets `next()` return nil. May be called any number of times.
  func close() {
    state.update { $0.isClosed = true }
    abort()
  }

  /// Blocks until the queue is closed.
  func waitUntilClosed() {
    _ = state.wait { $0.isClosed ? true : nil }
  }

  /// Waits for the next request; nil when the queue is closed.
  func next() -> NFCRequest? {
    // Only one thread takes requests.
    _ = state.wait { $0.isClosed || !$0.requests.isEmpty ? true : nil }
    return state.update { $0.isClosed ? nil : $0.requests.removeFirst() }
  }

  /// Makes a blocking call that an abort request ends. Closing the queue always ends it.
  ///
  /// libnfc ignores an abort that comes before its call has begun to wait, so the abort is repeated until the call
  /// returns.
  func abortable<Result>(
    _ abort: @escaping @Sendable () -> Void, onlyOnClose: Bool = false, _ call: () -> Result
  ) -> Result {
    let starts = state.update { state in
      state.abortCall = abort
      state.abortsOnlyOnClose = onlyOnClose
      return state.startsRepeating()
    }
    if starts { repeatAbort() }
    defer {
      state.update { state in
        if state.hasAborted { pipes.closeLeftOvers() }
        state.hasAborted = false
        state.abortCall = nil
        if !onlyOnClose { state.isAbortRequested = false }
      }
    }
    return call()
  }

  /// Drops an abort request that came while no call was blocking.
  func forgetAbort() { state.update { $0.isAbortRequested = false } }

  private func abort() {
    let starts = state.update { state in
      state.isAbortRequested = true
      return state.startsRepeating()
    }
    if starts { repeatAbort() }
  }

  private func repeatAbort() {
    Thread.detachNewThread {
      while self.abortOnce() { pause(for: .milliseconds(5)) }
    }
  }

  /// Aborts the call under the lock, so that the abort reaches neither a later call nor a closed device.
  private func abortOnce() -> Bool {
    state.update { state in
      guard state.mustAbort, let abortCall = state.abortCall else {
        state.isRepeating = false
        return false
      }
      state.hasAborted = true
      abortCall()
      return true
    }
  }
}
