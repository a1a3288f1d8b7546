internal import Synchronization

/// The life of a process. It can be killed before or after one of its writes, and one of its writes can find a full disk. Nothing
/// that a killed process does has an effect.
final class Mortality: Sendable {
  /// What happens at a write.
  struct Plan: Sendable, Equatable {
    /// The number of writes before it, 0 or more.
    let writes: Int
    /// What happens.
    let event: Event
  }

  /// What happens.
  enum Event: Sendable, Equatable {
    /// The process is killed before the write.
    case killedBefore
    /// The process is killed after the write.
    case killedAfter
    /// The disk is full: the write has no effect, and the process goes on.
    case full
  }

  /// What becomes of a write.
  enum Verdict {
    /// It is done.
    case done
    /// It is done, and the process is killed before it learns of it.
    case last
    /// The disk is full.
    case full
    /// The process is killed.
    case killed
  }

  private struct State {
    var plan: Plan?
    var writes = 0
    var isOver = false
  }

  private let state = Mutex(State())

  /// Whether the process was killed.
  var isOver: Bool { state.withLock(\.isOver) }

  /// Kills the process.
  func end() { state.withLock { $0.isOver = true } }

  /// Plans what happens at a later write; nil for nothing.
  func plan(_ plan: Plan?) { state.withLock { $0 = State(plan: plan, isOver: $0.isOver) } }

  /// Counts a write.
  func write() -> Verdict {
    state.withLock { state in
      guard !state.isOver else { return .killed }
      defer { state.writes += 1 }
      guard let plan = state.plan, plan.writes == state.writes else { return .done }
      state.isOver = plan.event != .full
      switch plan.event {
      case .killedBefore: return .killed
      case .killedAfter: return .last
      case .full: return .full
      }
    }
  }
}
