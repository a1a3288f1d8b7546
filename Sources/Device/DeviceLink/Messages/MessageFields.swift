internal import DeviceAuthentication
internal import Octets

/// Reads the fields of a message in their order. Every read checks its length.
struct MessageReader {
  private var rest: ArraySlice<UInt8>

  init(_ octets: some Sequence<UInt8>) { rest = ArraySlice(octets) }

  mutating func octets(_ count: Int) throws(LinkFailure) -> [UInt8] {
    guard count <= rest.count else {
      throw .malformed("a field of \(count.bytes), of which \(rest.count) are there")
    }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func octet() throws(LinkFailure) -> UInt8 { try octets(1)[0] }

  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _: Number.Type
  ) throws(LinkFailure) -> Number {
    try octets(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func flag() throws(LinkFailure) -> Bool {
    switch try octet() {
    case 0: false
    case 1: true
    case let other: throw .malformed("\(other) is not a truth value, which is 0 or 1")
    }
  }

  /// Bytes behind their count in one byte.
  mutating func shortOctets() throws(LinkFailure) -> [UInt8] { try octets(Int(try octet())) }

  /// A text behind its count in two bytes.
  mutating func text() throws(LinkFailure) -> String {
    let count = Int(try number(UInt16.self))
    guard count <= MessageText.maximumCount else {
      throw .malformed("a text of \(count.bytes), where the limit is \(MessageText.maximumCount)")
    }
    guard let text = String(validating: try octets(count), as: UTF8.self) else {
      throw .malformed("a text is not UTF-8")
    }
    return text
  }

  /// One of the cases of a list, by its position.
  mutating func choice<Case>(_ cases: [Case]) throws(LinkFailure) -> Case {
    let index = Int(try octet())
    guard index < cases.count else { throw .malformed("the choice \(index) of \(cases.count)") }
    return cases[index]
  }

  mutating func key() throws(LinkFailure) -> KeyIdentifier {
    let octets = try shortOctets()
    guard let key = KeyIdentifier(octets) else {
      throw .malformed("the name of a key has 1 to 64 bytes, not \(octets.count)")
    }
    return key
  }

  /// Must follow the last field.
  func finish() throws(LinkFailure) {
    guard rest.isEmpty else { throw .malformed("\(rest.count.bytes) after the last field") }
  }
}

/// The texts of messages.
package enum MessageText {
  /// The longest text in UTF-8 bytes. A longer one is cut between two characters.
  package static let maximumCount = 1024

  /// Returns a field with a text: its count in two bytes and its bytes.
  static func field(_ text: String) -> [UInt8] {
    var octets: [UInt8] = []
    for character in text {
      guard octets.count + character.utf8.count <= maximumCount else { break }
      octets += character.utf8
    }
    return UInt16(octets.count).bigEndianOctets + octets
  }
}

extension Array where Element: Equatable {
  /// The position of a case in the list of all cases, as one byte.
  func choice(_ element: Element) -> UInt8 { UInt8(truncatingIfNeeded: firstIndex(of: element) ?? 0xFF) }
}

/// Returns a field of at most 255 bytes, behind their count in one byte.
func shortField(_ octets: [UInt8]) -> [UInt8] {
  let octets = octets.prefix(255)
  return [UInt8(octets.count)] + octets
}
