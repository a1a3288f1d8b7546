/// The data in a track that a terminal has completed.
public struct WrittenDigits: Hashable, Sendable {
  /// The digits of the unpredictable number, as in tag 9F6A: one digit in each nibble, with leading zeros.
  public let unpredictableNumber: UInt32
  /// The last digits of the transaction counter.
  public let counter: Int
  /// One more than the highest value that these digits can have: 10 to the power of their number, 1...100000. Five
  /// digits hold every counter (tag 9F36 has two bytes); higher digits are zero.
  public let counterModulus: Int
}

extension TrackPositions {
  /// Reads the digits that a terminal wrote into track 2, or nil when the track is malformed.
  ///
  /// - Parameter track2: The value of tag 9F6B with the digits of the transaction.
  public func written(in track2: [UInt8]) -> WrittenDigits? {
    let nibbles = Self.nibbles(track2)
    guard track == .track2, let range = Self.discretionaryData(track2: nibbles),
      let highest = (unpredictableNumber + counter).max() ?? range.first.map({ _ in 1 }), highest <= range.count
    else { return nil }
    func digits(_ positions: [Int]) -> [UInt8] { positions.map { nibbles[range.upperBound - $0] } }
    let low = digits(counter).prefix(5)
    let modulus = low.reduce(1) { product, _ in product * 10 }
    return WrittenDigits(
      unpredictableNumber: digits(unpredictableNumber).reversed().reduce(0) { $0 << 4 | UInt32($1) },
      counter: low.reversed().reduce(0) { $0 * 10 + Int($1) }, counterModulus: modulus)
  }
}
