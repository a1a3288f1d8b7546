import Testing

@testable import Links

@Suite("Durations in sentences")
struct ShortenedDurationTests {
  @Test(arguments: [
    (Duration.nanoseconds(1_997_362_183), Duration.seconds(2)), (.milliseconds(1_449), .milliseconds(1_400)),
    (.milliseconds(1_450), .milliseconds(1_500)), (.seconds(1), .seconds(1)), (.zero, .zero),
    (.microseconds(20_499), .milliseconds(20)), (.nanoseconds(999_499_999), .milliseconds(999)),
    (.nanoseconds(999_500_000), .seconds(1)), (.seconds(86_400), .seconds(86_400)),
  ])
  func `tenths of a second, and milliseconds below a second`(_ exact: Duration, _ expected: Duration) {
    #expect(exact.shortened == expected)
  }

  @Test func `none is too long`() {
    #expect(Duration.seconds(Int64.max).shortened > .seconds(9_000_000_000))
  }
}
