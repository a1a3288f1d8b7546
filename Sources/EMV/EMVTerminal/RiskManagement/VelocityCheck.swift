public import EMVData

/// The check of how many payments in a row a card has made offline (EMV 4.4 Book 3, 10.6.3).
public enum VelocityCheck {
  /// Returns the bits for tag 95. A counter that is missing, or at or below that of the last online payment, sets the bits
  /// of both limits.
  ///
  /// - Parameters:
  ///   - lower: Tag 9F14: the lower consecutive offline limit.
  ///   - upper: Tag 9F23: the upper consecutive offline limit.
  ///   - counter: Tag 9F36 as GET DATA returned it; nil when the card refused it.
  ///   - lastOnline: Tag 9F13, the counter of the last online payment; nil when the card refused it.
  public static func check(
    lower: UInt8, upper: UInt8, counter: UInt16?, lastOnline: UInt16?
  ) -> TerminalVerificationResults {
    var results = TerminalVerificationResults()
    if lastOnline == 0 { results.insert(.newCard) }
    // A counter that did not grow since the last online payment was set back: the count of offline payments is not known.
    guard let counter, let lastOnline, counter > lastOnline else {
      return results.union([.lowerOfflineLimit, .upperOfflineLimit])
    }
    let count = Int(counter) - Int(lastOnline)
    if count > Int(lower) { results.insert(.lowerOfflineLimit) }
    if count > Int(upper) { results.insert(.upperOfflineLimit) }
    return results
  }
}
