internal import Glibc

/// A date and a time of day of the Gregorian calendar, without a time zone: the one place where ISO 8601 text is read
/// and written.
public struct CalendarTime: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The year, 1...9999.
  public let year: Int
  /// The month, 1...12.
  public let month: Int
  /// The day of the month, 1...31.
  public let day: Int
  /// The hour, 0...23.
  public let hour: Int
  /// The minute, 0...59.
  public let minute: Int
  /// The second, 0...59: leap seconds do not exist here.
  public let second: Int

  /// Creates a time, or nil when the calendar does not have it.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// Reads `2026-01-31T09:05:00` or `2026-01-31`, which is midnight; nil for any other form.
  public init?(_ text: String) {
    guard text.utf8.count == 10 || text.utf8.count == 19 else { return nil }
    let fields = text.utf8.split(omittingEmptySubsequences: false) { $0 == 0x2D || $0 == 0x54 || $0 == 0x3A }
      .compactMap { Int(Substring($0)) }
    guard fields.count == 3 || fields.count == 6 else { return nil }
    let (hour, minute, second) = fields.count == 6 ? (fields[3], fields[4], fields[5]) : (0, 0, 0)
    self.init(year: fields[0], month: fields[1], day: fields[2], hour: hour, minute: minute, second: second)
    // Separators and leading zeros must be where this type writes them.
    guard text == (fields.count == 6 ? description : date) else { return nil }
  }

  /// Reads the date of a header of HTTP (RFC 9110, section 5.6.7): `Sat, 31 Jan 2026 09:05:00 GMT`; nil for any other form, also
  /// the obsolete ones. The name of the day is not compared with the date.
  public init?(httpDate text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard words.count == 6, words[0].count == 4, words[5] == "GMT",
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    self.init("\(words[3])-\(Self.padded(month + 1, 2))-\(words[1])T\(words[4])")
  }

  /// Creates the time in UTC of a moment of the years 1 to 9999; a moment outside them traps.
  public init(utc moment: WallTime) {
    let days = moment.seconds.flooredQuotient(by: 86_400)
    let (year, month, day) = Self.date(daysSince1970: days)
    let second = Int(moment.seconds - days * 86_400)
    guard
      let time = CalendarTime(
        year: year, month: month, day: day, hour: second / 3600, minute: second / 60 % 60, second: second % 60)
    else { preconditionFailure("\(moment.seconds) s since 1970 is outside the years 1 to 9999") }
    self = time
  }

  /// Creates the time of a moment in the machine's time zone (`TZ`, /etc/localtime). A moment outside the years 1 to
  /// 9999 traps.
  public init(local moment: WallTime) {
    var seconds = time_t(moment.seconds)
    var fields = unsafe tm()
    unsafe localtime_r(&seconds, &fields)
    self.init(utc: WallTime(seconds: moment.seconds + Int64(unsafe fields.tm_gmtoff)))
  }

  /// The moment at which a clock in UTC shows this time.
  public var utc: WallTime {
    WallTime(seconds: Self.daysSince1970(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second))
  }

  /// The date alone: `2026-01-31`.
  public var date: String { Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) }

  /// The time of day alone: `09:05:00`.
  public var timeOfDay: String { [hour, minute, second].map { Self.padded($0, 2) }.joined(separator: ":") }

  /// `2026-01-31T09:05:00`.
  public var description: String { date + "T" + timeOfDay }

  /// Whether the first time is earlier.
  public static func < (first: CalendarTime, second: CalendarTime) -> Bool { first.utc < second.utc }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  private static func days(of month: Int, in year: Int) -> Int {
    let isLeap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  // The calendar repeats every 400 years, which have 146 097 days. Years are counted from March, so that a leap day is
  // the last day of its year; there are 719 468 days between 0000-03-01 and 1970-01-01.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let (cycle, yearOfCycle) = (marchYear / 400, marchYear % 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
    return Int64(cycle * 146_097 + dayOfCycle - 719_468)
  }

  private static func date(daysSince1970 days: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let cycle = shifted.flooredQuotient(by: 146_097)
    let dayOfCycle = Int(shifted - cycle * 146_097)
    let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = (shiftedMonth + 2) % 12 + 1
    let year = Int(cycle) * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension WallTime {
  /// The moment as ISO 8601 text in UTC, without its milliseconds: `2026-01-31T09:05:00Z`. A moment outside the years 1
  /// to 9999 traps.
  public var iso8601: String { "\(CalendarTime(utc: self))Z" }

  /// The moment as ISO 8601 text in UTC: `2026-01-31T09:05:00.007Z`. A moment outside the years 1 to 9999 traps.
  public var iso8601WithMilliseconds: String {
    "\(CalendarTime(utc: self))." + String(milliseconds + 1000).dropFirst() + "Z"
  }

  /// Reads `2026-01-31T09:05:00.007Z`; nil for any other form.
  public init?(iso8601WithMilliseconds text: String) {
    guard let time = CalendarTime(String(text.prefix(19))), let milliseconds = Int(text.dropFirst(20).prefix(3)),
      (0...999).contains(milliseconds)
    else { return nil }
    self.init(seconds: time.utc.seconds, milliseconds: milliseconds)
    // Separators and leading zeros must be where this type writes them.
    guard text == iso8601WithMilliseconds else { return nil }
  }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
