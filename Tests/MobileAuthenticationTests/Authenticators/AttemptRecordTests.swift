import Octets
import Testing

@testable import MobileAuthentication

@Suite struct AttemptRecordTests {
  /// The states of the machine, by the number of wrong entries and whether the cool-down has ended.
  enum State: CaseIterable {
    case unlocked, failedOnce, failedTwice, coolingThird, failedThird, coolingFourth, failedFourth, locked

    var record: AttemptRecord {
      let mark = Self.mark(at: .zero)
      return switch self {
      case .unlocked: AttemptRecord()
      case .failedOnce: AttemptRecord(failures: 1, lastFailure: mark)
      case .failedTwice: AttemptRecord(failures: 2, lastFailure: mark)
      case .coolingThird, .failedThird: AttemptRecord(failures: 3, lastFailure: mark)
      case .coolingFourth, .failedFourth: AttemptRecord(failures: 4, lastFailure: mark)
      case .locked: AttemptRecord(failures: 5, lastFailure: mark)
      }
    }

    /// The moment at which the record is in the state.
    var now: TimeMark {
      switch self {
      case .coolingThird: Self.mark(at: .milliseconds(59_900))
      case .failedThird: Self.mark(at: .seconds(60))
      case .coolingFourth: Self.mark(at: .milliseconds(179_900))
      case .failedFourth: Self.mark(at: .seconds(180))
      case .unlocked, .failedOnce, .failedTwice, .locked: Self.mark(at: .zero)
      }
    }

    static func mark(at duration: Duration) -> TimeMark {
      let start: Int64 = 1_000_000_000_000
      let seconds = duration.components.seconds
      return TimeMark(
        wall: WallTime(seconds: 1_800_000_000 + seconds, milliseconds: Int(duration.nanoseconds / 1_000_000 % 1_000)),
        sinceBoot: Instant(nanoseconds: start) + duration, boot: "one")
    }
  }

  /// The events: a wrong entry, a right entry, and a right old value whose new value is refused.
  enum Event: CaseIterable { case wrong, right, rightButNewRefused }

  static let expected: [(State, Event, AttemptRecord.Admission, Int)] = [
    (.unlocked, .wrong, .admitted, 1), (.unlocked, .right, .admitted, 0),
    (.unlocked, .rightButNewRefused, .admitted, 0),
    (.failedOnce, .wrong, .admitted, 2), (.failedOnce, .right, .admitted, 0),
    (.failedOnce, .rightButNewRefused, .admitted, 1),
    (.failedTwice, .wrong, .admitted, 3), (.failedTwice, .right, .admitted, 0),
    (.failedTwice, .rightButNewRefused, .admitted, 2),
    (.coolingThird, .wrong, .ignored, 3), (.coolingThird, .right, .ignored, 3),
    (.coolingThird, .rightButNewRefused, .ignored, 3),
    (.failedThird, .wrong, .admitted, 4), (.failedThird, .right, .admitted, 0),
    (.failedThird, .rightButNewRefused, .admitted, 3),
    (.coolingFourth, .wrong, .ignored, 4), (.coolingFourth, .right, .ignored, 4),
    (.coolingFourth, .rightButNewRefused, .ignored, 4),
    (.failedFourth, .wrong, .admitted, 5), (.failedFourth, .right, .admitted, 0),
    (.failedFourth, .rightButNewRefused, .admitted, 4),
    (.locked, .wrong, .lockedOut, 5), (.locked, .right, .lockedOut, 5), (.locked, .rightButNewRefused, .lockedOut, 5),
  ]

  @Test func `every event in every state has its result`() {
    #expect(Self.expected.count == State.allCases.count * Event.allCases.count)
    for (state, event, admission, failures) in Self.expected {
      var record = state.record
      let before = record
      #expect(record.begin(at: state.now) == admission, "\(state) \(event)")
      if admission == .admitted {
        switch event {
        case .wrong: record.fail(at: state.now)
        case .right: record.succeed()
        case .rightButNewRefused: record = before
        }
      }
      #expect(record.failures == failures, "\(state) \(event)")
    }
  }

  static let statuses: [(State, ProtectionStatus)] = [
    (.unlocked, .unlocked),
    (.failedOnce, .lastAttemptFailed(remainingRetries: 4, coolDown: .zero)),
    (.failedTwice, .lastAttemptFailed(remainingRetries: 3, coolDown: .zero)),
    (.coolingThird, .lastAttemptFailed(remainingRetries: 2, coolDown: .milliseconds(100))),
    (.failedThird, .lastAttemptFailed(remainingRetries: 2, coolDown: .zero)),
    (.coolingFourth, .lastAttemptFailed(remainingRetries: 1, coolDown: .milliseconds(100))),
    (.failedFourth, .lastAttemptFailed(remainingRetries: 1, coolDown: .zero)),
    (.locked, .lockedOut),
  ]

  @Test(arguments: statuses)
  func `the status of a state names retries and cool-down`(state: State, status: ProtectionStatus) {
    #expect(state.record.status(at: state.now) == status)
  }

  @Test func `a cool-down begins after the comparison`() {
    var record = State.failedTwice.record
    #expect(record.begin(at: State.mark(at: .seconds(10))) == .admitted)
    record.fail(at: State.mark(at: .seconds(11)))
    #expect(
      record.status(at: State.mark(at: .seconds(11))) == .lastAttemptFailed(remainingRetries: 2, coolDown: .seconds(60))
    )
  }

  @Test func `an ignored entry does not restart the cool-down`() {
    var record = State.coolingThird.record
    for _ in 0..<20 { #expect(record.begin(at: State.coolingThird.now) == .ignored) }
    #expect(record.begin(at: State.mark(at: .seconds(60))) == .admitted)
  }

  @Test func `a locked record stays locked after any time`() {
    var record = State.locked.record
    #expect(record.begin(at: State.mark(at: .seconds(1_000_000))) == .lockedOut)
  }

  // Elapsed seconds after the third wrong entry: by the date, since the boot, in which boot; and the rest of 60 s.
  static let clocks: [(wall: Int64, sinceBoot: Int64, boot: String, rest: Int)] = [
    (0, 10, "one", 50),
    // The date was set back or forward, without a restart: it does not count.
    (-86_400, 10, "one", 50), (86_400, 10, "one", 50), (-86_400, 60, "one", 0),
    // After a restart at least the time since then has passed, and as much as the date shows.
    (30, 5, "two", 30), (59, 5, "two", 1), (60, 5, "two", 0), (86_400, 5, "two", 0),
    // The date was set back and the machine restarted: never more than the full length.
    (-86_400, 5, "two", 55), (-86_400, 0, "two", 60), (.min / 2, 0, "two", 60), (-86_400, 60, "two", 0),
  ]

  @Test(arguments: clocks)
  func `neither a changed date nor a restart shortens or lengthens a cool-down`(
    wall: Int64, sinceBoot: Int64, boot: String, rest: Int
  ) {
    let bootAtFailure: Int64 = 1_000
    let failure = TimeMark(
      wall: WallTime(seconds: 1_800_000_000), sinceBoot: Instant(nanoseconds: bootAtFailure * 1_000_000_000),
      boot: "one")
    let since = boot == "one" ? bootAtFailure + sinceBoot : sinceBoot
    let now = TimeMark(
      wall: WallTime(seconds: 1_800_000_000 + wall), sinceBoot: Instant(nanoseconds: since * 1_000_000_000), boot: boot)
    let record = AttemptRecord(failures: 3, lastFailure: failure)
    #expect(record.status(at: now) == .lastAttemptFailed(remainingRetries: 2, coolDown: .seconds(rest)))
  }
}
