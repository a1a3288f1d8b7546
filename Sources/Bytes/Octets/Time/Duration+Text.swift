extension Duration {
  /// The duration for people, rounded, in the unit that reads best: `850 ns`, `12 us`, `85 ms`, `2.5 s`, `60 s`.
  ///
  /// A duration of zero, which a clock measures when its steps are too large, is `< 1 us`. Nanoseconds below 10 us, microseconds below 10 ms, milliseconds below 1 s, else seconds with one decimal, which is
  /// left out when it is zero.
  public var text: String {
    let count = nanoseconds
    if count < 0 { return "-" + Duration.nanoseconds(-max(count, -Int64.max)).text }
    if count == 0 { return "< 1 us" }
    if count < 10_000 { return "\(count) ns" }
    if count < 9_999_500 { return "\(Self.rounded(count, to: 1_000)) us" }
    if count < 999_500_000 { return "\(Self.rounded(count, to: 1_000_000)) ms" }
    let tenths = Self.rounded(count, to: 100_000_000)
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
  }

  private static func rounded(_ count: Int64, to unit: Int64) -> Int64 { count / unit + count % unit * 2 / unit }
}
