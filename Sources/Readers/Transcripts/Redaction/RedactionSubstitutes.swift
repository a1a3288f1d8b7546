internal import EMVData
internal import Octets

/// The substitutes of account numbers.
struct Substitutes {
  private let byNumber: [PrimaryAccountNumber: PrimaryAccountNumber]

  /// Gives each number that must be replaced its own substitute, in the order of appearance.
  init(
    for numbers: [PrimaryAccountNumber], and others: [PrimaryAccountNumber],
    sparing isTestCard: (PrimaryAccountNumber) -> Bool
  ) {
    var taken = Set((numbers + others).filter(Self.isHarmless))
    var byNumber: [PrimaryAccountNumber: PrimaryAccountNumber] = [:]
    var ordinal = 0
    for number in numbers + others where byNumber[number] == nil && !Self.isHarmless(number) && !isTestCard(number) {
      let count = number.exposedDigits.utf8.count
      var substitute = number
      // Numbers of eight digits have a hundred substitutes. Beyond that, numbers share one.
      for _ in 0..<100 {
        ordinal += 1
        substitute = Self.substitute(ordinal, count: count)
        if taken.insert(substitute).inserted { break }
      }
      byNumber[number] = substitute
    }
    self.byNumber = byNumber
  }

  /// The substitute of a number, or the number itself when it may stay.
  subscript(_ number: PrimaryAccountNumber) -> PrimaryAccountNumber { byNumber[number] ?? number }

  /// The numbers that are replaced and their substitutes, as digits. The longest come first, so that no number is
  /// replaced as a part of another. Short numbers are left out, because their digits occur by chance.
  var digits: [(number: [UInt8], substitute: [UInt8])] {
    byNumber.filter { $0.key.exposedDigits.utf8.count >= AccountNumberSearch.minimumDigits }
      .map { (Array($0.key.exposedDigits.utf8), Array($0.value.exposedDigits.utf8)) }
      .sorted {
        $0.number.count > $1.number.count
          || $0.number.count == $1.number.count && $0.number.lexicographicallyPrecedes($1.number)
      }
  }

  private static let prefix = "99999"

  /// Returns whether a number is a substitute or all zeros.
  static func isHarmless(_ number: PrimaryAccountNumber) -> Bool {
    isSubstitute(number) || number.exposedDigits.utf8.allSatisfy { $0 == 0x30 }
  }

  /// Returns whether a number has the form of a substitute.
  static func isSubstitute(_ number: PrimaryAccountNumber) -> Bool {
    number.exposedDigits.begins(with: prefix) && number.hasValidCheckDigit
  }

  /// Returns 99999, an ordinal number and a check digit.
  private static func substitute(_ ordinal: Int, count: Int) -> PrimaryAccountNumber {
    let width = count - prefix.utf8.count - 1
    let digits = String(ordinal).suffix(width)
    let body = prefix + String(repeating: "0", count: width - digits.utf8.count) + digits
    for check in 0...9 {
      if let number = PrimaryAccountNumber(digits: body + String(check)), number.hasValidCheckDigit { return number }
    }
    preconditionFailure("one of ten check digits is right for an account number of \(count.counted("digit"))")
  }
}
