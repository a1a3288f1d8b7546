import Foundation
import Octets
import Testing

@Suite("Calendar times")
struct CalendarTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00", 0), ("1969-12-31T23:59:59", -1), ("2000-02-29T12:00:00", 951_825_600),
    ("2026-11-21T23:13:59", 1_795_302_839), ("2049-12-31T23:59:59", 2_524_607_999),
    ("0001-01-01T00:00:00", -62_135_596_800), ("9999-12-31T23:59:59", 253_402_300_799),
    ("1900-03-01T00:00:00", -2_203_891_200),
  ])
  func `text and seconds since 1970 give the same time`(_ text: String, _ seconds: Int64) throws {
    let time = try #require(CalendarTime(text))
    #expect(time.description == text)
    #expect(time.utc.seconds == seconds)
    #expect(CalendarTime(utc: WallTime(seconds: seconds)) == time)
    #expect(WallTime(seconds: seconds).iso8601 == text + "Z")
  }

  @Test func `milliseconds are written with three digits and order moments`() {
    let moment = WallTime(seconds: 0, milliseconds: 7)
    #expect(moment.iso8601WithMilliseconds == "1970-01-01T00:00:00.007Z")
    #expect(moment.iso8601 == "1970-01-01T00:00:00Z")
    #expect(WallTime(seconds: 0) < moment)
    #expect(moment < WallTime(seconds: 1))
  }

  @Test(arguments: ["1970-01-01T00:00:00.000Z", "2026-01-31T09:05:00.007Z", "9999-12-31T23:59:59.999Z"])
  func `a moment with milliseconds is read as it is written`(text: String) throws {
    #expect(try #require(WallTime(iso8601WithMilliseconds: text)).iso8601WithMilliseconds == text)
  }

  @Test(arguments: [
    "", "2026-01-31T09:05:00Z", "2026-01-31T09:05:00.07Z", "2026-01-31T09:05:00.007", "2026-01-31T09:05:00,007Z",
    "2026-01-31T09:05:00.-07Z", "2026-01-31T09:05:00.+07Z", "2026-01-31T09:05:00.007Z ", "2026-02-30T09:05:00.007Z",
  ])
  func `a moment of another form is no moment`(text: String) { #expect(WallTime(iso8601WithMilliseconds: text) == nil) }

  @Test func `a date alone is midnight`() {
    #expect(CalendarTime("2026-01-31")?.description == "2026-01-31T00:00:00")
    #expect(CalendarTime("2026-01-31")?.date == "2026-01-31")
    #expect(CalendarTime("2026-01-31T09:05:00")?.timeOfDay == "09:05:00")
  }

  @Test(arguments: [
    "", "2026", "2026-1-31", "2026-02-29", "2025-13-01", "0000-01-01", "2026-01-00", "2026-01-31 09:05:00",
    "2026-01-31T24:00:00", "2026-01-31T09:60:00", "2026-01-31T09:05:60", "2026-01-31T09:05", "2026T01T31",
    "+026-01-31", "2026-01-31T9:05:000", "２０２６-01-31", "2026-01-31Z", "2026-01-31T09:05:00Z",
  ])
  func `text of another form is not a time`(_ text: String) {
    #expect(CalendarTime(text) == nil)
  }

  @Test func `every day of 800 years follows the day before`() {
    var previous = CalendarTime(utc: WallTime(seconds: -400 * 365 * 86_400))
    for day in Int64(-400 * 365 + 1)...400 * 365 {
      let time = CalendarTime(utc: WallTime(seconds: day * 86_400))
      let isNextDay = time.year == previous.year && time.month == previous.month && time.day == previous.day + 1
      let isNextMonth = time.day == 1 && (time.month == previous.month + 1 || time.month == 1 && previous.month == 12)
      #expect(isNextDay || isNextMonth, "\(previous) \(time)")
      #expect(time.utc.seconds == day * 86_400)
      previous = time
    }
  }

  @Test func `local time differs from UTC by the offset of the zone`() {
    let moment = SystemWallClock().now
    let offset = TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(moment.seconds)))
    #expect(CalendarTime(local: moment).utc.seconds == moment.seconds + Int64(offset))
  }
}

@Suite("Durations as text")
struct DurationTextTests {
  @Test(arguments: [
    (Duration.zero, "< 1 us"), (.nanoseconds(1), "1 ns"), (.nanoseconds(9_999), "9999 ns"),
    (.nanoseconds(10_000), "10 us"),
    (.nanoseconds(10_500), "11 us"), (.microseconds(9_999), "9999 us"), (.nanoseconds(9_999_500), "10 ms"),
    (.milliseconds(85), "85 ms"), (.milliseconds(999), "999 ms"), (.nanoseconds(999_500_000), "1 s"),
    (.milliseconds(2_449), "2.4 s"), (.milliseconds(2_450), "2.5 s"), (.seconds(60), "60 s"),
    (.milliseconds(-85), "-85 ms"), (.seconds(Int64.max), "9223372036.9 s"), (.seconds(Int64.min), "-9223372036.9 s"),
  ])
  func `a duration is written in the unit that reads best`(_ duration: Duration, _ text: String) {
    #expect(duration.text == text)
  }
}
