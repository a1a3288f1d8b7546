internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// Removes cardholder data from comments and directives.
struct RedactedText {
  let substitutes: Substitutes
  /// The names in the responses of the card.
  let names: [[UInt8]]

  // Directives whose values are checked when a transcript is read and cannot be an account number.
  private static let plainKeys: Set<Transcript.Key> = [
    .version, .role, .exchangeCount, .clock, .random, .amount, .currency, .type, .transactionCounter, .field, .instant,
    .time, .varies, .torn, .end,
  ]

  /// Returns the account numbers in comments and directives: in digits that look like an account number, and in data
  /// objects in hexadecimal.
  static func accountNumbers(in transcript: Transcript) -> [PrimaryAccountNumber] {
    texts(transcript).flatMap { text in
      accountNumbers(in: Array(text.utf8)) + elements(in: text).compactMap(ElementRedaction.accountNumber)
    }
  }

  /// Returns the names in data objects in hexadecimal in comments and directives.
  static func names(in transcript: Transcript) -> [[UInt8]] {
    texts(transcript).flatMap { elements(in: $0).compactMap(ElementRedaction.name) }
  }

  private static func texts(_ transcript: Transcript) -> [String] {
    let notes = transcript.notes + transcript.exchanges.flatMap { $0.notes + $0.responseNotes }
    return (notes + transcript.closingNotes).filter { !($0.key.map(plainKeys.contains) ?? false) }.map(\.text)
  }

  /// Returns the data elements in the hexadecimal digits of a text, for example in a response that a reader left out.
  private static func elements(in text: String) -> [(Tag, [UInt8])] {
    text.split { !$0.isHexDigit }.flatMap { word -> [(Tag, [UInt8])] in
      guard let octets = try? [UInt8](hex: String(word)) else { return [] }
      return DecodedGuess(octets).node.leaves.compactMap { leaf in leaf.tag.map { ($0, Array(octets[leaf.content])) } }
    }
  }

  /// Redacts all notes of a transcript.
  func redact(_ transcript: inout Transcript) {
    transcript.notes = redacted(transcript.notes)
    transcript.closingNotes = redacted(transcript.closingNotes)
    for index in transcript.exchanges.indices {
      transcript.exchanges[index].notes = redacted(transcript.exchanges[index].notes)
      transcript.exchanges[index].responseNotes = redacted(transcript.exchanges[index].responseNotes)
    }
  }

  private func redacted(_ notes: [Transcript.Note]) -> [Transcript.Note] {
    notes.filter { $0.key != .card }.map { note in
      if let key = note.key {
        Self.plainKeys.contains(key) ? note : .directive(key, redacted(note.text))
      } else {
        .comment(redacted(note.text))
      }
    }
  }

  private func redacted(_ text: String) -> String {
    var octets = Array(text.utf8)
    for (number, substitute) in substitutes.digits {
      octets.replaceDigits(number, with: substitute)
      octets.replace(number.inHex, with: substitute.inHex, step: 1)
    }
    for name in names {
      let hidden = [UInt8](repeating: 0x58, count: name.count)
      octets.replace(name, with: hidden, step: 1)
      octets.replace(Array(name.hex.utf8), with: Array(hidden.hex.utf8), step: 1)
      octets.replace(Array(name.hex.lowercased().utf8), with: Array(hidden.hex.utf8), step: 1)
    }
    return String(decoding: octets, as: UTF8.self)
  }

  private static func accountNumbers(in text: [UInt8]) -> [PrimaryAccountNumber] {
    digitGroups(in: text).flatMap { pieces in
      pieces.indices.compactMap { start in
        // Numbers are often written in groups of four digits. Each group is tried as the start of a number.
        var digits = ""
        for piece in pieces[start...] {
          // A whole number is not a part of another one: a tag and a number of 15 digits, `57 3742…`, look like one.
          if !digits.isEmpty, AccountNumberSearch.looksLikeAccountNumber(piece) { return nil }
          digits += piece
          if digits.utf8.count > PrimaryAccountNumber.counts.upperBound { return nil }
          if AccountNumberSearch.looksLikeAccountNumber(digits) { return PrimaryAccountNumber(digits: digits) }
        }
        return nil
      }
    }
  }

  /// Returns groups of digits with at most one space or hyphen between two digits. Digits within a word are left out.
  private static func digitGroups(in text: [UInt8]) -> [[String]] {
    var groups: [[String]] = []
    var index = 0
    while index < text.count {
      guard text[index].isDigit else {
        index += 1
        continue
      }
      let start = index
      while index < text.count, text[index].isDigit || text.isSeparator(at: index) { index += 1 }
      let before = start > 0 ? text[start - 1] : 0x20
      let after = index < text.count ? text[index] : 0x20
      // B stands before the number of track 1; D ends the number of track 2, and F pads it. Tools also write small
      // letters.
      guard !before.isLetter || before.capital == 0x42, !after.isLetter || [0x44, 0x46].contains(after.capital) else {
        continue
      }
      groups.append(text[start..<index].split { !$0.isDigit }.map { String(decoding: $0, as: UTF8.self) })
    }
    return groups
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLetter: Bool { (0x41...0x5A).contains(capital) }
  /// The capital letter of a letter.
  fileprivate var capital: UInt8 { self & 0xDF }
}

extension [UInt8] {
  /// Returns whether a space or hyphen stands at the index between two digits.
  fileprivate func isSeparator(at index: Int) -> Bool {
    (self[index] == 0x20 || self[index] == 0x2D) && index > 0 && self[index - 1].isDigit && index + 1 < count
      && self[index + 1].isDigit
  }

  /// Replaces digits by others, as many as they are, also when a space or hyphen stands between two of them.
  fileprivate mutating func replaceDigits(_ digits: [UInt8], with others: [UInt8]) {
    for start in indices where self[start] == digits.first {
      var places: [Int] = []
      var index = start
      while index < count, places.count < digits.count {
        if self[index] == digits[places.count] {
          places.append(index)
        } else if !isSeparator(at: index) {
          break
        }
        index += 1
      }
      guard places.count == digits.count else { continue }
      for (place, digit) in zip(places, others) { self[place] = digit }
    }
  }
}
