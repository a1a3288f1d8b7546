/// Account numbers that an output must not show, and the places where bytes or a text hold them.
///
/// A number is found packed at any half byte, and as text, also with a single separator between two digits.
public struct KnownNumbers: Equatable, Sendable {
  /// A number in bytes or text.
  public struct Place: Sendable {
    /// The number.
    public let number: PrimaryAccountNumber
    /// The place of each of its digits, ascending: half bytes from the start of the bytes (0 is the high half of the
    /// first one), or bytes from the start of the text.
    public let digits: [Int]
  }

  private struct Digits: Hashable {
    let count: Int
    let value: UInt64
  }

  private var numbers: [Digits: PrimaryAccountNumber] = [:]

  /// Collects numbers. Those of fewer than 13 digits are left out, because so few digits occur by chance.
  public init(_ numbers: some Sequence<PrimaryAccountNumber> = []) { insert(numbers) }

  /// Adds numbers, as `init(_:)` does.
  public mutating func insert(_ numbers: some Sequence<PrimaryAccountNumber>) {
    for number in numbers where number.exposedDigits.utf8.count >= AccountNumberSearch.minimumDigits {
      // A number has at most 19 digits, which the type holds.
      let value = number.exposedDigits.utf8.reduce(0 as UInt64) { $0 &* 10 &+ UInt64($1 &- 0x30) }
      self.numbers[Digits(count: number.exposedDigits.utf8.count, value: value)] = number
    }
  }

  /// Whether there is no number.
  public var isEmpty: Bool { numbers.isEmpty }

  /// Returns the places in bytes, packed digits first. The longest number at a place is meant.
  public func places(in octets: [UInt8]) -> [Place] {
    guard !isEmpty else { return [] }
    return packedPlaces(in: octets)
      + places(in: DigitRun.written(octets)).map { Place(number: $0.number, digits: $0.digits.map { $0 * 2 + 1 }) }
  }

  /// Returns the places of packed digits.
  public func packedPlaces(in octets: [UInt8]) -> [Place] { isEmpty ? [] : places(in: DigitRun.packed(octets)) }

  /// Returns the places of digits in text.
  public func writtenPlaces(in text: [UInt8]) -> [Place] { isEmpty ? [] : places(in: DigitRun.written(text)) }

  /// Returns the places in text of digits that are written as the hexadecimal digits of text.
  public func hexadecimalPlaces(in text: [UInt8]) -> [Place] {
    isEmpty ? [] : places(in: DigitRun.writtenInHex(text))
  }

  /// Returns a text with a star for each digit of a number.
  public func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    var octets = Array(text.utf8)
    let places = writtenPlaces(in: octets) + hexadecimalPlaces(in: octets)
    guard !places.isEmpty else { return text }
    for place in places.flatMap(\.digits) { octets[place] = 0x2A }
    return String(decoding: octets, as: UTF8.self)
  }

  private func places(in runs: [DigitRun]) -> [Place] {
    runs.flatMap { run in run.digits.indices.compactMap { place(in: run, at: $0) } }
  }

  private func place(in run: DigitRun, at start: Int) -> Place? {
    var value: UInt64 = 0
    var found: Place?
    let end = min(run.digits.count, start + PrimaryAccountNumber.counts.upperBound)
    for index in start..<end {
      value = value &* 10 &+ UInt64(run.digits[index])
      let count = index - start + 1
      if count >= AccountNumberSearch.minimumDigits, let number = numbers[Digits(count: count, value: value)] {
        found = Place(number: number, digits: Array(run.places[start...index]))
      }
    }
    return found
  }
}
