package import JSON
internal import Octets

extension Int64 {
  /// The last moment that a calendar date can have, in seconds since 1970.
  private static let lastSecond: Int64 = 253_402_300_799

  private var wallTime: WallTime? {
    let seconds = self / 1_000
    return self >= 0 && seconds <= Self.lastSecond
      ? WallTime(seconds: seconds, milliseconds: Int(self % 1_000)) : nil
  }

  /// Milliseconds of a server since 1970 for people, in the time zone of the machine: `2026-01-31 09:05:00`; the milliseconds
  /// themselves after the year 9999.
  package var moment: String {
    guard let time = wallTime else { return "\(self) ms" }
    let local = CalendarTime(local: time)
    return "\(local.date) \(local.timeOfDay)"
  }

  /// Milliseconds of a server since 1970 for programs: `2026-01-31T09:05:00.007Z`; nil after the year 9999.
  fileprivate var instant: String? { wallTime?.iso8601WithMilliseconds }
}

extension JSONValue {
  /// The keys whose values are milliseconds since 1970 in the messages of a server.
  private static let instants: Set = ["at", "createdAt", "expiresAt", "lastContactAt", "sentAt", "acceptedUntil"]

  /// The value with ISO 8601 text in place of milliseconds since 1970.
  package var withInstants: JSONValue {
    if let list { return JSONValue(list.map(\.withInstants)) }
    guard let members else { return self }
    return JSONValue(
      members: members.map { member in
        guard Self.instants.contains(member.key), let milliseconds = member.value.integer else {
          return (member.key, member.value.withInstants)
        }
        return (member.key, Int64(milliseconds).instant.map { JSONValue($0) } ?? member.value)
      })
  }
}
