internal import EMVData
internal import Octets

/// Which account number is written as which.
struct Substitutes {
  private let byNumber: [PrimaryAccountNumber: PrimaryAccountNumber]

  /// Gives each number that has to go a substitute of its own, in the order of appearance.
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
      // Numbers of eight digits have a hundred substitutes; after that one serves twice.
      for _ in 0..<100 {
        ordinal += 1
        substitute = Self.substitute(ordinal, count: count)
        if taken.insert(substitute).inserted { break }
      }
      byNumber[number] = substitute
    }
    self.byNumber = byNumber
  }

  /// The numbers that have to go.
  var numbers: [PrimaryAccountNumber] { Array(byNumber.keys) }

  /// What to write for a number: its substitute, or itself when it may stay.
  subscript(_ number: PrimaryAccountNumber) -> PrimaryAccountNumber { byNumber[number] ?? number }

  /// The numbers that have to go and their substitutes, as digits, longest first so that none is taken for a part of
  /// another. Short ones are left out: their digits turn up anywhere by chance.
  var digits: [(number: [UInt8], substitute: [UInt8])] {
    byNumber.filter { $0.key.exposedDigits.utf8.count >= AccountNumberSearch.minimumDigits }
      .map { (Array($0.key.exposedDigits.utf8), Array($0.value.exposedDigits.utf8)) }
      .sorted {
        $0.number.count > $1.number.count
          || $0.number.count == $1.number.count && $0.number.lexicographicallyPrecedes($1.number)
      }
  }

  private static let prefix = "99999"

  /// Whether a number is a substitute already, or all zeros.
  static func isHarmless(_ number: PrimaryAccountNumber) -> Bool {
    let digits = number.exposedDigits
    return digits.hasPrefix(prefix) && number.hasValidCheckDigit || digits.utf8.allSatisfy { $0 == 0x30 }
  }

  /// 99999, an ordinal number, a check digit.
  private static func substitute(_ ordinal: Int, count: Int) -> PrimaryAccountNumber {
    let width = count - prefix.utf8.count - 1
    let digits = String(ordinal).suffix(width)
    let body = prefix + String(repeating: "0", count: width - digits.utf8.count) + digits
    for check in 0...9 {
      if let number = PrimaryAccountNumber(digits: body + String(check)), number.hasValidCheckDigit { return number }
    }
    preconditionFailure("one of ten check digits is right for an account number of \(count) digits")
  }
}
