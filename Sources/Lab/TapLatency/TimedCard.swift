internal import ISO7816
internal import Links
internal import Octets
internal import Synchronization

/// The time that a card took for its responses. The card's thread adds to it; any thread reads it.
final class CardTime: Sendable {
  private let total = Atomic<Int64>(0)

  var nanoseconds: Int64 { total.load(ordering: .acquiring) }

  func add(_ time: Int64) { total.add(time, ordering: .releasing) }
}

/// A card whose responses are timed on its own thread, so that the time of its link can be told apart.
struct TimedCard<Base: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
  var base: Base
  let time: CardTime
  private let clock = SystemClock()

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    let begun = clock.now.nanoseconds
    let count = base.respond(to: command, at: instant, into: &response)
    time.add(clock.now.nanoseconds &- begun)
    return count
  }

  mutating func responseSent() { base.responseSent() }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) { base.fieldChanged(event, at: instant) }

  consuming func release() -> Base { base }
}

/// A link whose card is timed.
final class TimedLink: EmulationLink {
  private let base: any EmulationLink
  private let time: CardTime

  init(_ base: any EmulationLink, time: CardTime) { (self.base, self.time) = (base, time) }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var card = TimedCard(base: consume responder, time: time)
    do throws(LinkError) {
      try base.serve(&card)
      responder = card.release()
    } catch {
      responder = card.release()
      throw error
    }
  }

  func stop() { base.stop() }
}

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
