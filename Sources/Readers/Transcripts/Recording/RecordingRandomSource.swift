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
  private let rest: Mutex<ArraySlice<UInt8>>

  /// Creates a source of recorded bytes, the first drawn first.
  public init(_ octets: [UInt8]) {
    rest = Mutex(octets[...])
  }

  /// Returns the next bytes, and zeros after the last recorded one.
  public func octets(_ count: Int) -> [UInt8] {
    rest.withLock { rest in
      let given = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      return given + [UInt8](repeating: 0, count: count - given.count)
    }
  }
}
