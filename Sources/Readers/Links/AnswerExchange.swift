internal import Dispatch
internal import ISO7816
internal import Octets
internal import Synchronization

/// Where the link's thread waits for an answer that somebody gives from anywhere. One APDU at a time; later APDUs
/// have higher numbers, so an answer that comes too late finds its number gone.
final class AnswerExchange: Sendable {
  private enum State {
    case free
    case waiting(UInt64, room: Int)
    case answered(UInt64, [UInt8])
    case stopped
  }

  enum Acceptance: Equatable { case accepted, late, stopped, tooLong(room: Int) }

  /// What the link's thread is let go with.
  enum Release: Equatable { case answer([UInt8]), timedOut, none }

  private let state = Mutex<(state: State, last: UInt64)>((.free, 0))
  // Only the link's thread waits on it. A signal too many wakes it for nothing, and it looks again.
  private let changed = DispatchSemaphore(value: 0)

  /// Begins an APDU; nil after `stop()`.
  func begin(room: Int) -> UInt64? {
    state.withLock { state in
      switch state.state {
      case .stopped: return nil
      case .free, .waiting, .answered:
        state.last += 1
        state.state = .waiting(state.last, room: room)
        return state.last
      }
    }
  }

  /// Blocks the link's thread until there is an answer, or none will come.
  func wait(_ number: UInt64, timeout: Duration) -> Release {
    let deadline = DispatchTime(after: timeout)
    while true {
      let isLate = changed.wait(timeout: deadline) == .timedOut
      let release: Release? = state.withLock { state in
        switch state.state {
        case .answered(number, let octets):
          state.state = .free
          return .answer(octets)
        case .waiting where isLate:
          state.state = .free
          return .timedOut
        case .waiting: return nil
        case .free, .answered, .stopped: return Release.none
        }
      }
      if let release { return release }
    }
  }

  /// Gives an APDU its answer.
  func answer(_ number: UInt64, _ octets: [UInt8]) -> Acceptance {
    let acceptance: Acceptance = state.withLock { state in
      switch state.state {
      case .waiting(number, let room):
        guard octets.count <= room else { return .tooLong(room: room) }
        state.state = .answered(number, octets)
        return .accepted
      case .stopped: return .stopped
      case .free, .waiting, .answered: return .late
      }
    }
    if acceptance == .accepted { changed.signal() }
    return acceptance
  }

  /// Whether an APDU still waits for its answer.
  func isOwed(_ number: UInt64) -> Bool {
    state.withLock { state in
      if case .waiting(number, _) = state.state { true } else { false }
    }
  }

  /// No more answers: whoever waits is let go, and whoever answers is told.
  func stop() {
    state.withLock { $0.state = .stopped }
    changed.signal()
  }
}
