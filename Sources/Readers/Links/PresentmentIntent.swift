public import Octets
internal import Synchronization

/// The assertion that the user means to present a card now. It ends 15 s after it was acquired, on `release()`, and
/// when it is let go of, whichever comes first.
public struct PresentmentIntent: ~Copyable, Sendable {
  /// How long it is valid: up to, and not at, 15 s.
  public static let validity = Duration.seconds(15)
  /// From its end until another can be acquired.
  public static let coolDown = Duration.seconds(15)

  private let desk: PresentmentIntents
  private let number: UInt64

  init(of desk: PresentmentIntents, number: UInt64) {
    self.desk = desk
    self.number = number
  }

  deinit { desk.end(number) }

  /// Whether it still is.
  public var isValid: Bool { desk.isValid(number) }

  /// Ends it early; the cool-down begins now.
  public consuming func release() {}
}

/// Where the intents of one device are acquired: one at a time.
public final class PresentmentIntents: Sendable {
  private let machine = Mutex(PresentmentIntentMachine())
  private let clock: any MonotonicClock

  /// Creates the place; none has been acquired.
  public init(clock: any MonotonicClock = SystemClock()) {
    self.clock = clock
  }

  /// Acquires an intent.
  ///
  /// - Throws: `PresentmentIntentError` while another is valid, and for 15 s after its end.
  public func acquire() throws(PresentmentIntentError) -> PresentmentIntent {
    let now = clock.now
    let number = try machine.withLock { (machine) throws(PresentmentIntentError) in try machine.acquire(at: now) }
    return PresentmentIntent(of: self, number: number)
  }

  func isValid(_ number: UInt64) -> Bool { machine.withLock { $0.isValid(number, at: clock.now) } }

  func end(_ number: UInt64) { machine.withLock { $0.end(number, at: clock.now) } }
}

/// Why no intent could be acquired.
public enum PresentmentIntentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another one is valid for this long.
  case alreadyHeld(Duration)
  /// The last one ended too short a while ago; this is how long to wait.
  case coolingDown(Duration)

  /// A sentence.
  public var description: String {
    switch self {
    case .alreadyHeld(let rest): "a presentment intent is held already, for \(rest): release it or wait"
    case .coolingDown(let rest): "the last presentment intent has just ended: wait \(rest)"
    }
  }
}

/// The rules of intents; pure.
struct PresentmentIntentMachine {
  private var last: (number: UInt64, end: Instant)?

  mutating func acquire(at now: Instant) throws(PresentmentIntentError) -> UInt64 {
    if let last {
      if now < last.end { throw .alreadyHeld(last.end - now) }
      let free = last.end + PresentmentIntent.coolDown
      if now < free { throw .coolingDown(free - now) }
    }
    let number = (last?.number ?? 0) + 1
    last = (number, now + PresentmentIntent.validity)
    return number
  }

  func isValid(_ number: UInt64, at now: Instant) -> Bool {
    guard let last else { return false }
    return last.number == number && now < last.end
  }

  mutating func end(_ number: UInt64, at now: Instant) {
    if isValid(number, at: now) { last?.end = now }
  }
}
