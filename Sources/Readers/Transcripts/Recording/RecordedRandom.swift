public import Octets
internal import Synchronization

/// A source of random bytes that records what is drawn from another source, so that a recording can be replayed.
public final class RecordingRandomSource: RandomSource {
  private let base: any RandomSource
  private let state = Mutex<[UInt8]>([])

  /// Creates a source that draws from another one.
  public init(_ base: any RandomSource) {
    self.base = base
  }

  /// All bytes drawn so far, in order.
  public var drawn: [UInt8] { state.withLock { $0 } }

  /// Draws bytes from the other source and records them.
  public func octets(_ count: Int) -> [UInt8] {
    // The bytes are drawn under the lock, so that they are recorded in the order in which they are returned.
    state.withLock { drawn in
      let octets = base.octets(count)
      drawn += octets
      return octets
    }
  }
}

/// A source that returns the random bytes of a recording.
public final class ReplayRandomSource: RandomSource {
  private struct State {
    var rest: ArraySlice<UInt8>
    var missing = 0
  }

  private let state: Mutex<State>

  /// Creates a source of recorded bytes, the first drawn first.
  public init(_ octets: [UInt8]) {
    state = Mutex(State(rest: octets[...]))
  }

  /// How many bytes were requested beyond the recorded ones. More than zero means that the replay differs.
  public var missingCount: Int { state.withLock { $0.missing } }

  /// How many recorded bytes have not been drawn yet.
  public var remainingCount: Int { state.withLock { $0.rest.count } }

  /// Returns the next bytes, and zeros after the last recorded one; `missingCount` counts these.
  public func octets(_ count: Int) -> [UInt8] {
    state.withLock { state in
      let given = Array(state.rest.prefix(count))
      state.rest = state.rest.dropFirst(count)
      state.missing += count - given.count
      return given + [UInt8](repeating: 0, count: count - given.count)
    }
  }
}
