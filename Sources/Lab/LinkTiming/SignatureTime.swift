/// The time of an RSA signature on a chip card, by the size of the key.
enum SignatureTime {
  private static let source = "JCAlgTest, Profiles/performance/fixed; least: P71 or SECORA (2020), most: J3A081 (2012)"

  /// The sizes of keys in bits, the smallest first, with the measured times.
  private static let measured: [(bits: Int, time: ClosedRange<Int64>)] = [
    (896, 14_900_000...62_700_000), (1_024, 15_000_000...81_900_000), (1_280, 21_000_000...133_500_000),
    (1_536, 30_000_000...206_000_000), (1_984, 60_500_000...394_300_000),
  ]

  static let constants = measured.map { bits, time in
    LinkConstant("a signature with a key of \(bits) bits", time, .nanoseconds, .published, source)
  }

  /// The time for a key: between two sizes by a straight line, beyond them that of the nearest one.
  static func range(bits: Int) -> TimeRange {
    let upper = measured.firstIndex { $0.bits >= bits } ?? measured.count - 1
    let (high, low) = (measured[upper], measured[max(upper - 1, 0)])
    guard high.bits > low.bits, (low.bits...high.bits).contains(bits) else {
      return TimeRange(high.time.lowerBound, high.time.upperBound)
    }
    let between = { (first: Int64, last: Int64) in
      first + (last - first) * Int64(bits - low.bits) / Int64(high.bits - low.bits)
    }
    return TimeRange(
      between(low.time.lowerBound, high.time.lowerBound), between(low.time.upperBound, high.time.upperBound))
  }
}
