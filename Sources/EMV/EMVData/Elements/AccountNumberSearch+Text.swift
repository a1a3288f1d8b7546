extension AccountNumberSearch {
  /// Where digits in a text may be an account number.
  public enum TextRule: Sendable {
    /// Text of a card: a right check digit is enough for a run of 13 to 19 digits.
    case ofCard
    /// Text of a person or a program, which holds times and counters too: shorter runs than 15 digits, and digits in
    /// groups, also have the first digits of a scheme.
    case note
    /// Text that holds keys in hexadecimal: as `note`, and digits within a word are left out. `B` stands before the
    /// number of track 1; `D` ends that of track 2, and `F` pads it.
    case withKeys
  }

  /// Returns the account numbers in a text. They are written without a gap, or in groups with one kind of separator:
  /// space or hyphen, dot, slash, colon, underscore, or comma.
  public static func numbers(inText text: [UInt8], _ rule: TextRule) -> [PrimaryAccountNumber] {
    DigitGroup.groups(in: text).filter { rule != .withKeys || !$0.isWithinWord(of: text) }.flatMap { group in
      group.pieces.indices.flatMap { numbers(from: $0, of: group, in: text, rule) }
    }
  }

  /// Returns the account numbers in text that is written in hexadecimal within a text.
  public static func numbers(inHexadecimalOf text: [UInt8]) -> [PrimaryAccountNumber] {
    DigitRun.writtenInHex(text).compactMap { checked($0.digits.map { $0 + 0x30 }) }
  }

  /// Returns the numbers that begin with a piece of a group.
  private static func numbers(
    from start: Int, of group: DigitGroup, in text: [UInt8], _ rule: TextRule
  ) -> [PrimaryAccountNumber] {
    let first = Array(text[group.pieces[start]])
    var found: [PrimaryAccountNumber] = []
    if first.count > PrimaryAccountNumber.counts.upperBound {
      return rule == .ofCard && !group.isShared(start) ? schemeNumbers(in: first) : []
    }
    let isAlone = rule == .ofCard || rule == .note && first.count >= 15
    if isAlone, !group.isShared(start), let number = checked(first) { found.append(number) }
    var digits: [UInt8] = []
    for piece in group.pieces[start...] {
      digits += text[piece]
      if digits.count > PrimaryAccountNumber.counts.upperBound { break }
      if let number = schemeNumber(digits) { found.append(number) }
    }
    return found
  }

  /// Returns the numbers in packed digits of unknown meaning: whole runs, and parts of longer runs with the first digits
  /// of a scheme.
  public static func packedNumbers(within octets: [UInt8]) -> [PrimaryAccountNumber] {
    DigitRun.packed(octets).flatMap { run -> [PrimaryAccountNumber] in
      // The half bytes of digits in text are digits too.
      guard !holdsText(octets, run.places) else { return [] }
      let digits = run.digits.map { $0 + 0x30 }
      return (checked(digits).map { [$0] } ?? []) + schemeNumbers(in: digits)
    }
  }

  /// Whether eight bytes in a row among half bytes are digits in text.
  private static func holdsText(_ octets: [UInt8], _ places: [Int]) -> Bool {
    guard let first = places.first, let last = places.last else { return false }
    var count = 0
    for octet in octets[((first + 1) / 2)..<((last + 1) / 2)] {
      count = octet.isDigit ? count + 1 : 0
      if count == 8 { return true }
    }
    return false
  }

  // A response of 65536 bytes can be one run: only its start is searched.
  private static let searchedDigits = 1_024

  /// Returns the numbers with the first digits of a scheme at any place of a run.
  private static func schemeNumbers(in digits: [UInt8]) -> [PrimaryAccountNumber] {
    let digits = digits.prefix(searchedDigits)
    return digits.indices.flatMap { start in
      (minimumDigits...PrimaryAccountNumber.counts.upperBound).compactMap { count in
        start + count <= digits.endIndex ? schemeNumber(digits[start..<start + count]) : nil
      }
    }
  }

  private static func schemeNumber(_ digits: some Collection<UInt8>) -> PrimaryAccountNumber? {
    guard let first = digits.first, hasSchemeStart(first, digits.dropFirst().first ?? 0, digits.count) else {
      return nil
    }
    return checked(digits)
  }

  /// The number of 13 to 19 digits with a right check digit, or nil.
  static func checked(_ digits: some Collection<UInt8>) -> PrimaryAccountNumber? {
    guard (minimumDigits...PrimaryAccountNumber.counts.upperBound).contains(digits.count) else { return nil }
    // Most runs of digits are no account number, and the sum is faster to compute than the number.
    var sum: UInt8 = 0
    for (index, digit) in digits.enumerated() {
      let value = digit & 0x0F
      let isDoubled = (digits.count - index).isMultiple(of: 2)
      sum = (sum + (isDoubled ? (value > 4 ? value * 2 - 9 : value * 2) : value)) % 10
    }
    return sum == 0 ? PrimaryAccountNumber(digits: String(decoding: digits, as: UTF8.self)) : nil
  }
}

/// Runs of digits in a text with one separator of the same kind between each two.
private struct DigitGroup {
  private(set) var pieces: [Range<Int>]
  /// Whether the last piece of the group before is also the first one of this group.
  private var sharesFirst = false

  /// Whether a piece was searched alone in another group.
  func isShared(_ piece: Int) -> Bool { piece == 0 && sharesFirst }

  /// Whether a letter stands before or after the group, other than those of a track.
  func isWithinWord(of text: [UInt8]) -> Bool {
    guard let first = pieces.first, let last = pieces.last else { return false }
    let before = first.lowerBound > 0 ? text[first.lowerBound - 1] : 0x20
    let after = last.upperBound < text.count ? text[last.upperBound] : 0x20
    return before.isLetter && before & 0xDF != 0x42 || after.isLetter && ![0x44, 0x46].contains(after & 0xDF)
  }

  static func groups(in text: [UInt8]) -> [DigitGroup] {
    var groups: [DigitGroup] = []
    var separator: UInt8?
    for piece in pieces(in: text) {
      guard let last = groups.last?.pieces.last, last.upperBound + 1 == piece.lowerBound,
        text.isSeparator(at: last.upperBound)
      else {
        groups.append(DigitGroup(pieces: [piece]))
        separator = nil
        continue
      }
      // A hyphen counts as a space.
      let kind = text[last.upperBound] == 0x2D ? 0x20 : text[last.upperBound]
      if separator == nil || separator == kind {
        groups[groups.count - 1].pieces.append(piece)
      } else {
        groups.append(DigitGroup(pieces: [last, piece], sharesFirst: true))
      }
      separator = kind
    }
    return groups
  }

  private static func pieces(in text: [UInt8]) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start: Int?
    for index in 0...text.count {
      if index < text.count, text[index].isDigit {
        start = start ?? index
      } else if let first = start {
        pieces.append(first..<index)
        start = nil
      }
    }
    return pieces
  }
}
