import Octets
import Testing

@Suite("Instants and durations")
struct InstantTests {
  @Test func `adding and subtracting are exact to the nanosecond`() {
    let start = Instant(nanoseconds: 1_000)
    #expect((start + .nanoseconds(1)).nanoseconds == 1_001)
    #expect((start + .milliseconds(-1)).nanoseconds == -999_000)
    #expect(start + .seconds(60) - start == .seconds(60))
    #expect(start - (start + .seconds(60)) == .seconds(-60))
    #expect(start < start + .nanoseconds(1))
    #expect(!(start < start))
  }

  static let saturating: [(Int64, Duration, Int64)] = [
    (.max - 1, .nanoseconds(1), .max), (.max, .nanoseconds(1), .max), (1, .nanoseconds(Int64.max), .max),
    (1, .seconds(Int64.max), .max), (.min, .nanoseconds(-1), .min), (-2, .seconds(Int64.min), .min),
    (.max, .nanoseconds(Int64.min), -1),
  ]

  @Test(arguments: saturating)
  func `adding saturates at both ends`(_ start: Int64, _ duration: Duration, _ end: Int64) {
    #expect((Instant(nanoseconds: start) + duration).nanoseconds == end)
  }

  @Test func `the distance between the two ends is exact`() {
    let widest = Instant(nanoseconds: .max) - Instant(nanoseconds: .min)
    #expect(widest > .seconds(18_446_744_073))
  }

  static let durations: [(Duration, Int64)] = [
    (.zero, 0), (.nanoseconds(1), 1), (.microseconds(302), 302_000), (.seconds(60), 60_000_000_000),
    (.nanoseconds(-1), -1), (.milliseconds(-1500), -1_500_000_000), (.nanoseconds(Int64.max), .max),
    (.nanoseconds(Int64.min), .min), (.seconds(9_223_372_037), .max), (.seconds(-9_223_372_037), .min),
    (.nanoseconds(Int64.max) + .nanoseconds(1), .max), (.nanoseconds(Int64.min) - .nanoseconds(1), .min),
    (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
  ]

  @Test(arguments: durations)
  func `A duration in nanoseconds saturates`(_ duration: Duration, _ expected: Int64) {
    #expect(duration.nanoseconds == expected)
  }
}
