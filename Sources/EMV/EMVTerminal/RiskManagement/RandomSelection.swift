/// The random selection of payments for the host (EMV 4.4 Book 3, 10.6.2). The random number is passed in.
public struct RandomSelection: Hashable, Sendable {
  /// The range of the percentages.
  public static let percentages = 0...99

  /// Of the payments below the threshold, how many percent go online, 0...99.
  public let target: Int
  /// Of the payments just below the floor limit, how many percent go online, `target`...99.
  public let maximumTarget: Int

  /// Creates a selection; nil when a percentage is out of range, or the maximum is below the target.
  public init?(target: Int, maximumTarget: Int) {
    guard Self.percentages.contains(target), Self.percentages.contains(maximumTarget), maximumTarget >= target else {
      return nil
    }
    self.target = target
    self.maximumTarget = maximumTarget
  }

  /// Returns whether a payment is selected. A payment at the floor limit or above is not: the limit sends it online.
  ///
  /// - Parameters:
  ///   - amount: Tag 9F02, in minor units.
  ///   - threshold: Below it each payment has the same chance; from it on, the chance grows up to the floor limit.
  ///   - floor: Tag 9F1B, in minor units, above the threshold.
  ///   - number: A random number, 1...99.
  public func selects(_ amount: UInt64, threshold: UInt64, floor: UInt64, number: Int) -> Bool {
    guard amount < floor else { return false }
    guard amount >= threshold else { return number <= target }
    // Without division: the chance in percent is target + (maximum - target) * (amount - threshold) / (floor - threshold).
    let (whole, part) = (UInt128(floor - threshold), UInt128(amount - threshold))
    return UInt128(number) * whole <= UInt128(target) * whole + UInt128(maximumTarget - target) * part
  }
}
