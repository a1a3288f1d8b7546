internal import EMVData
internal import EMVDecoding
internal import Octets

/// The substitutes of account numbers, and the names that are hidden with them.
struct Substitutes {
  private var byNumber: [PrimaryAccountNumber: PrimaryAccountNumber] = [:]
  /// The numbers that are replaced in every value. Short numbers are left out, because their digits occur by chance.
  private(set) var known = KnownNumbers()
  /// Those of them that bytes of unknown meaning keep as substitutes. The digits of others become zeros there.
  private var certain = KnownNumbers()
  /// All numbers that hardly occur by chance, those of test cards too.
  private var found = KnownNumbers()
  private var taken: Set<PrimaryAccountNumber> = []
  private var ordinal = 0
  private var holders: Set<[UInt8]> = []
  private var names: [[UInt8]] = []

  /// No substitutes.
  init() {}

  /// Gives each number that must be replaced its own substitute, in the order of appearance. May be called again for further
  /// data: a number keeps its substitute.
  ///
  /// - Parameters:
  ///   - data: What commands and responses hold.
  ///   - noted: The numbers in comments and directives.
  ///   - notedNames: The names there.
  mutating func add(
    _ data: CardholderData, _ noted: [PrimaryAccountNumber], _ notedNames: [[UInt8]],
    sparing isTestCard: (PrimaryAccountNumber) -> Bool
  ) {
    let certain = data.numbers + noted + data.likelyNumbers
    found.insert(certain)
    // Digits around a number look like a longer one now and then.
    let all = certain + data.suspectedNumbers.filter { found.writtenPlaces(in: Array($0.exposedDigits.utf8)).isEmpty }
    taken.formUnion(all.filter(Self.isHarmless))
    for number in all where byNumber[number] == nil && !Self.isHarmless(number) && !isTestCard(number) {
      let substitute = nextSubstitute(for: number)
      byNumber[number] = substitute
      known.insert([number])
    }
    self.certain.insert(certain.filter { byNumber[$0] != nil })
    let count = holders.count
    holders.formUnion(data.names + notedNames)
    if holders.count > count { names = HolderNames.spellings(of: Array(holders)) }
  }

  private mutating func nextSubstitute(for number: PrimaryAccountNumber) -> PrimaryAccountNumber {
    var substitute = number
    // Numbers of eight digits have a hundred substitutes. Beyond that, numbers share one.
    for _ in 0..<100 {
      ordinal += 1
      substitute = Self.substitute(ordinal, count: number.exposedDigits.utf8.count)
      if taken.insert(substitute).inserted { break }
    }
    return substitute
  }

  /// The substitute of a number, or the number itself when it may stay.
  subscript(_ number: PrimaryAccountNumber) -> PrimaryAccountNumber { byNumber[number] ?? number }

  /// Replaces known account numbers, packed or as text, by their substitutes, and hides the rest of a track after them.
  func swept(_ octets: [UInt8]) -> [UInt8] { swept(octets, known) }

  /// As `swept(_:)`, for bytes of unknown meaning: other long runs of digits will become zeros.
  func sweptOfCertain(_ octets: [UInt8]) -> [UInt8] { swept(octets, certain) }

  /// Replaces names by X.
  func withoutNames(_ octets: [UInt8]) -> [UInt8] {
    var hidden = octets
    for name in names { hidden.replace(name, with: [UInt8](repeating: 0x58, count: name.count)) }
    return hidden
  }

  /// Replaces account numbers and names in a text, also in the hexadecimal digits of text.
  func swept(text: [UInt8]) -> [UInt8] {
    var text = text
    for place in known.writtenPlaces(in: text).withoutOverlaps {
      replace(place, in: &text)
      TrackText.hideRest(after: place.end, in: &text)
    }
    for place in known.hexadecimalPlaces(in: text).withoutOverlaps {
      replace(place, in: &text)
      hideHexadecimalRest(after: place.end, in: &text)
    }
    for name in names {
      let hidden = [UInt8](repeating: 0x58, count: name.count)
      text.replace(name, with: hidden)
      text.replace(Array(name.hex.utf8), with: Array(hidden.hex.utf8))
      text.replace(Array(name.hex.lowercased().utf8), with: Array(hidden.hex.utf8))
    }
    return text
  }

  private func swept(_ octets: [UInt8], _ known: KnownNumbers) -> [UInt8] {
    guard !known.isEmpty else { return octets }
    var octets = octets
    let packed = known.packedPlaces(in: octets).withoutOverlaps
    if !packed.isEmpty {
      var digits = Array(octets.hex.utf8)
      for place in packed {
        replace(place, in: &digits)
        if digits.dropFirst(place.end).first == UInt8(ascii: "D") { TrackText.hideRest(after: place.end, in: &digits) }
      }
      octets = (try? [UInt8](hex: String(decoding: digits, as: UTF8.self))) ?? octets
    }
    for place in known.writtenPlaces(in: octets).withoutOverlaps {
      replace(place, in: &octets)
      TrackText.hideRest(after: place.end, in: &octets)
    }
    return octets
  }

  private func replace(_ place: KnownNumbers.Place, in text: inout [UInt8]) {
    for (index, digit) in zip(place.digits, self[place.number].exposedDigits.utf8) { text[index] = digit }
  }

  /// Hides the rest of a track after a number in the hexadecimal digits of text.
  private func hideHexadecimalRest(after end: Int, in text: inout [UInt8]) {
    let digits = text[end...].prefix { Character(UnicodeScalar($0)).isHexDigit }
    guard let rest = try? [UInt8](hex: String(decoding: digits.dropLast(digits.count % 2), as: UTF8.self)) else {
      return
    }
    var hidden = rest
    TrackText.hideRest(after: 0, in: &hidden)
    if hidden != rest { text.replaceSubrange(end..<end + rest.count * 2, with: hidden.hex.utf8) }
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

extension KnownNumbers.Place {
  /// The place after the last digit.
  fileprivate var end: Int { (digits.last ?? -1) + 1 }
}

extension [KnownNumbers.Place] {
  /// The places, in order, without those that share digits with an earlier one.
  fileprivate var withoutOverlaps: [KnownNumbers.Place] {
    reduce(into: []) { kept, place in
      if let last = kept.last?.digits.last, let first = place.digits.first, first <= last { return }
      kept.append(place)
    }
  }
}

extension [UInt8] {
  /// Replaces a run of bytes by another one of the same length, everywhere.
  fileprivate mutating func replace(_ run: [UInt8], with other: [UInt8]) {
    guard run.count == other.count, let first = run.first, run.count <= count else { return }
    for start in 0...count - run.count where self[start] == first && self[start...].starts(with: run) {
      replaceSubrange(start..<start + run.count, with: other)
    }
  }
}
