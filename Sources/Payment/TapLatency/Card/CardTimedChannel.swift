internal import Links
internal import Octets

/// A channel that notes how much of each exchange was the time of the card.
///
/// The card's thread has added its time before the response reaches this channel.
struct CardTimedChannel<Base: CardChannel & ~Copyable>: ~Copyable, CardChannel {
  let identity: CardIdentity
  private var base: Base
  private let time: CardTime
  /// The card's part of each exchange so far, in nanoseconds.
  private(set) var times: [Int64] = []

  init(_ base: consuming Base, time: CardTime) {
    identity = base.identity
    self.base = base
    self.time = time
    // More than any payment has.
    times.reserveCapacity(256)
  }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let before = time.nanoseconds
    defer { times.append(time.nanoseconds - before) }
    return try base.transmit(command, into: &response)
  }

  mutating func close() { base.close() }

  consuming func release() -> Base { base }
}
