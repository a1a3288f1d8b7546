public import Octets
internal import Synchronization

/// A source that keeps what is drawn from the source it wraps, so that a recording can be replayed.
public final class RecordingRandomSource: RandomSource {
  private let base: any RandomSource
  private let state = Mutex<[UInt8]>([])

  /// Wraps a source.
  public init(_ base: any RandomSource) {
    self.base = base
  }

  /// All octets drawn so far, in order.
  public var drawn: [UInt8] { state.withLock { $0 } }

  /// Draws octets from the wrapped source and keeps them.
  public func octets(_ count: Int) -> [UInt8] {
    // Drawn under the lock: what is kept has to be in the order in which it was given.
    state.withLock { drawn in
      let octets = base.octets(count)
      drawn += octets
      return octets
    }
  }
}

/// A source that gives the octets of a recording again.
public final class ReplayRandomSource: RandomSource {
  private struct State {
    var rest: ArraySlice<UInt8>
    var missing = 0
  }

  private let state: Mutex<State>

  /// Creates a source of recorded octets, the first drawn first.
  public init(_ octets: [UInt8]) {
    state = Mutex(State(rest: octets[...]))
  }

  /// How many octets were asked for beyond those recorded. More than zero means that the replay is no replay.
  public var missingCount: Int { state.withLock { $0.missing } }

  /// How many recorded octets nobody has asked for yet.
  public var remainingCount: Int { state.withLock { $0.rest.count } }

  /// Gives the next octets; zeros where the recording has no more, which `missingCount` tells.
  public func octets(_ count: Int) -> [UInt8] {
    state.withLock { state in
      let given = Array(state.rest.prefix(count))
      state.rest = state.rest.dropFirst(count)
      state.missing += count - given.count
      return given + [UInt8](repeating: 0, count: count - given.count)
    }
  }
}
