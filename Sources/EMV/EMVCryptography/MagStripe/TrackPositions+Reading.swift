/// What can be read back from a track that a terminal filled.
public struct WrittenDigits: Hashable, Sendable {
  /// The digits of the unpredictable number, as in tag 9F6A: one digit a nibble, zeros on the left.
  public let unpredictableNumber: UInt32
  /// The last digits of the transaction counter.
  public let counter: Int
  /// One more than the highest value that these digits can have: 10 to the power of their number, 1...100000. Five
  /// digits hold every counter (tag 9F36 has two octets); what stands above them is zero.
  public let counterModulus: Int
}

extension TrackPositions {
  /// Reads back what a terminal wrote into track 2, or nil when it is no track of this kind.
  ///
  /// - Parameter track2: The value of tag 9F6B, filled.
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
