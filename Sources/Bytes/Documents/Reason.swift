internal import Octets

/// The sentences of problems, written once for every reader.
enum Reason {
  /// The value of a required key is absent.
  static func missing(_ expected: String) -> String { "\(expected) is missing" }

  /// A value is of another kind.
  static func needed(_ expected: String, not found: String) -> String { "\(expected) is needed, not \(found)" }

  /// A whole number of a range, for `needed`.
  static func integer(in range: ClosedRange<Int>) -> String {
    range.upperBound == .max || range.lowerBound == .min
      ? "a whole number" : "a whole number of \(range.lowerBound)...\(range.upperBound)"
  }

  /// A number is out of range.
  static func number(_ number: Int, in range: ClosedRange<Int>) -> String {
    "\(number): the range is \(range.lowerBound)...\(range.upperBound)"
  }

  /// A length is out of range.
  ///
  /// - Parameter unit: The unit of the length, such as `character`.
  static func count(_ count: Int, _ unit: String, in range: ClosedRange<Int>) -> String {
    let (least, most) = (range.lowerBound, range.upperBound)
    return "\(count.counted(unit)): \(least == most ? "\(least) are needed" : "the range is \(least)...\(most)")"
  }

  /// An object has a key that it cannot have.
  ///
  /// - Parameter known: The keys that it can have.
  static func unknown(_ key: String, among known: [String]) -> String {
    let guess = key.nearest(in: known).map { "did you mean \($0)? " } ?? ""
    return "no such key; \(guess)there are \(known.joined(separator: ", "))"
  }
}
