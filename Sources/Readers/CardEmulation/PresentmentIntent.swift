public import Octets
internal import Synchronization

/// The assertion that the user intends to present a card now. It ends 15 s after it was acquired, on `release()`, or
/// when its owner releases it, whichever comes first.
public struct PresentmentIntent: ~Copyable, Sendable {
  /// How long an intent is valid; at 15 s it is not valid any more.
  public static let validity = Duration.seconds(15)
  /// The time from the end of an intent until another one can be acquired.
  public static let coolDown = Duration.seconds(15)

  private let issuer: PresentmentIntents
  private let number: UInt64

  init(of issuer: PresentmentIntents, number: UInt64) {
    self.issuer = issuer
    self.number = number
  }

  deinit { issuer.end(number) }

  /// Whether the intent is still valid.
  public var isValid: Bool { issuer.isValid(number) }

  /// Ends the intent; the cool-down begins now.
  public consuming func release() {}
}

/// Issues the presentment intents of one device, one at a time.
public final class PresentmentIntents: Sendable {
  private let machine = Mutex(PresentmentIntentMachine())
  private let clock: any MonotonicClock

  /// Creates an issuer without a valid intent.
  public init(clock: any MonotonicClock = SystemClock()) {
    self.clock = clock
  }

  /// Acquires an intent.
  ///
  /// - Throws: `PresentmentIntentError` while another intent is valid, and for 15 s after its end.
  public func acquire() throws(PresentmentIntentError) -> PresentmentIntent {
    let now = clock.now
    let number = try machine.withLock { (machine) throws(PresentmentIntentError) in try machine.acquire(at: now) }
    return PresentmentIntent(of: self, number: number)
  }

  func isValid(_ number: UInt64) -> Bool { machine.withLock { $0.isValid(number, at: clock.now) } }

  func end(_ number: UInt64) { machine.withLock { $0.end(number, at: clock.now) } }
}

/// Why an intent could not be acquired.
public enum PresentmentIntentError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Another intent is valid for this time.
  case alreadyHeld(Duration)
  /// The cool-down after the last intent lasts for this time.
  case coolingDown(Duration)

  /// A sentence.
  public var description: String {
    switch self {
    case .alreadyHeld(let rest): "another presentment intent is valid for \(rest.text): release it, or wait"
    case .coolingDown(let rest): "the cool-down after the last presentment intent is not over: wait \(rest.text)"
    }
  }
}

/// The rules of presentment intents. Pure.
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
