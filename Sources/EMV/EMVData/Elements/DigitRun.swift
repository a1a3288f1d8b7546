/// Decimal digits that follow each other in bytes, and the place of each.
struct DigitRun {
  /// The values of the digits, 0 to 9.
  var digits: [UInt8] = []
  /// The place of each digit: a half byte of packed digits, or a byte of text.
  var places: [Int] = []

  /// Returns the runs of at least 13 packed digits. Place 0 is the high half of the first byte.
  static func packed(_ octets: [UInt8]) -> [DigitRun] {
    AccountNumberSearch.decimalRuns(in: octets).map { run in
      DigitRun(
        digits: run.map { $0 % 2 == 0 ? octets[$0 / 2] >> 4 : octets[$0 / 2] & 0x0F }, places: Array(run))
    }
  }

  /// Returns the runs of at least 13 digits in text. One separator may stand between two digits.
  static func written(_ text: [UInt8]) -> [DigitRun] {
    var runs: [DigitRun] = []
    var run = DigitRun()
    for place in text.indices {
      if text[place].isDigit {
        run.digits.append(text[place] - 0x30)
        run.places.append(place)
      } else if !text.isSeparator(at: place) {
        if run.digits.count >= AccountNumberSearch.minimumDigits { runs.append(run) }
        run = DigitRun()
      }
    }
    return run.digits.count >= AccountNumberSearch.minimumDigits ? runs + [run] : runs
  }

  /// Returns the runs of at least 13 digits in text that is itself written in hexadecimal, such as `34373631` for 4761,
  /// also with a separator between two bytes. The place of a digit is that of the second hexadecimal digit.
  static func writtenInHex(_ text: [UInt8]) -> [DigitRun] {
    hexadecimalWords(in: text).flatMap { word in
      // A byte begins at each second digit, so both alignments are read.
      [0, 1].flatMap { start -> [DigitRun] in
        let pairs = stride(from: start, to: word.count - 1, by: 2)
        let octets = pairs.map { UInt8(word[$0].value << 4 | word[$0 + 1].value) }
        return written(octets).map { run in
          DigitRun(digits: run.digits, places: run.places.map { word[start + $0 * 2 + 1].place })
        }
      }
    }
  }

  /// The hexadecimal digits of each word with their places. A single separator does not end a word.
  private static func hexadecimalWords(in text: [UInt8]) -> [[(place: Int, value: Int)]] {
    var words: [[(place: Int, value: Int)]] = []
    var word: [(place: Int, value: Int)] = []
    for place in text.indices {
      if let value = Character(UnicodeScalar(text[place])).hexDigitValue {
        word.append((place, value))
      } else if word.last?.place != place - 1 || ![0x20, 0x2D, 0x3A].contains(text[place]) {
        words.append(word)
        word = []
      }
    }
    return (words + [word]).filter { $0.count >= AccountNumberSearch.minimumDigits * 2 }
  }
}

extension UInt8 {
  /// Whether the byte is a decimal digit in ASCII.
  var isDigit: Bool { (0x30...0x39).contains(self) }
  /// Whether the byte is a letter in ASCII.
  var isLetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
}

extension [UInt8] {
  // Space, hyphen, dot, slash, colon, underscore and comma.
  private static let separators: Set<UInt8> = [0x20, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F, 0x2C]

  /// Returns whether a separator stands at the place, between two digits.
  func isSeparator(at place: Int) -> Bool {
    Self.separators.contains(self[place]) && place > 0 && self[place - 1].isDigit && place + 1 < count
      && self[place + 1].isDigit
  }
}
