/// How often each bit of random numbers is set.
struct BitFrequency {
  /// The number of values from which on frequencies are judged, and after how many more again.
  static let count = 200

  /// A bit that is set too often or too rarely.
  struct Bias: Equatable {
    /// The byte from the left and the bit, 8 for the most significant, each from 1.
    let octet: Int
    let bit: Int
    /// How often it is set.
    let found: Int
    /// How often it may be set.
    let allowed: ClosedRange<Int>
  }

  /// The first bit whose number of ones is more than five standard deviations from the half; nil when there is none. A
  /// fair source gives a bias of 32 bits once in 50,000 times.
  ///
  /// - Parameter values: Values of the same length.
  static func bias(in values: Set<[UInt8]>) -> Bias? {
    let width = 2.5 * Double(values.count).squareRoot()
    let half = Double(values.count) / 2
    let allowed = Int((half - width).rounded(.up))...Int((half + width).rounded(.down))
    let length = values.map(\.count).max() ?? 0
    for octet in 0..<length {
      for bit in (0..<8).reversed() {
        let found = values.count { octet < $0.count && $0[octet] >> UInt8(bit) & 1 == 1 }
        if !allowed.contains(found) { return Bias(octet: octet + 1, bit: bit + 1, found: found, allowed: allowed) }
      }
    }
    return nil
  }
}
