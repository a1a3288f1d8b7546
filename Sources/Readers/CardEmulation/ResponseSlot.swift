internal import Links
internal import Octets

/// The place where the link's thread waits for a response that any other thread may give.
///
/// It holds one APDU at a time. Each APDU has a higher number than the one before, so a late response finds that its
/// number is no longer waited for.
final class ResponseSlot: Sendable {
  private enum State {
    case idle
    case waiting(UInt64, room: Int)
    case answered(UInt64, [UInt8])
    case stopped
  }

  /// What became of a response.
  enum Acceptance: Equatable { case accepted, late, stopped, tooLong(room: Int) }

  private let state = WaitableState<(state: State, lastNumber: UInt64)>((.idle, 0))

  /// Begins an APDU.
  ///
  /// - Parameter room: The longest response that the link can send, in bytes.
  /// - Returns: The APDU's number, or nil after `stop()`.
  func begin(room: Int) -> UInt64? {
    state.update { state in
      if case .stopped = state.state { return nil }
      state.lastNumber += 1
      state.state = .waiting(state.lastNumber, room: room)
      return state.lastNumber
    }
  }

  /// Blocks the link's thread until the response of an APDU is there.
  ///
  /// - Returns: The response, or nil after `stop()` and when the time is up.
  func wait(for number: UInt64, timeout: Duration) -> [UInt8]? {
    _ = state.wait(for: timeout) { state -> Bool? in
      if case .waiting(number, _) = state.state { nil } else { true }
    }
    return state.update { state in
      if case .stopped = state.state { return nil }
      defer { state.state = .idle }
      return if case .answered(number, let octets) = state.state { octets } else { nil }
    }
  }

  /// Gives an APDU its response.
  func answer(_ number: UInt64, _ octets: [UInt8]) -> Acceptance {
    state.update { state in
      switch state.state {
      case .waiting(number, let room):
        guard octets.count <= room else { return .tooLong(room: room) }
        state.state = .answered(number, octets)
        return .accepted
      case .stopped: return .stopped
      case .idle, .waiting, .answered: return .late
      }
    }
  }

  /// Whether the link's thread still waits for the response of an APDU.
  func isWaiting(for number: UInt64) -> Bool {
    state.read { state in
      if case .waiting(number, _) = state.state { true } else { false }
    }
  }

  /// Ends the wait of the link's thread, and refuses all responses from now on.
  func stop() {
    state.update { $0.state = .stopped }
  }
}
