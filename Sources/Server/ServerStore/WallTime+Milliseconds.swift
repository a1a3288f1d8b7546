public import Octets

extension WallTime {
  /// The moment in milliseconds since 1970-01-01 00:00:00 UTC.
  public var epochMilliseconds: Int64 { seconds * 1_000 + Int64(milliseconds) }
}
