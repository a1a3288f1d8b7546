extension JSONValue {
  /// The largest text that is read, in bytes: 64 MiB.
  public static let maximumCount = 67_108_864
  /// The deepest nesting of lists and objects that is read.
  public static let maximumDepth = 32

  /// Reads a whole text in UTF-8, with or without a byte order mark.
  ///
  /// Everything is refused that RFC 8259 does not allow, and also an object that has a key twice (section 4 leaves its
  /// meaning open). Half of a surrogate pair (section 8.2) is read as U+FFFD.
  ///
  /// - Throws: `JSONError` with the place of the first error.
  public init(parsing octets: some Sequence<UInt8>) throws(JSONError) {
    var parser = JSONParser(octets)
    self = try parser.document()
  }

  /// Reads a whole text.
  ///
  /// - Throws: `JSONError` with the place of the first error.
  public init(parsing text: String) throws(JSONError) { try self.init(parsing: text.utf8) }
}

struct JSONParser {
  // The text and one zero byte, so that the byte at `index` can always be looked at.
  private let octets: [UInt8]
  private var index = 0
  private var line = 1
  // The index of the line's first byte, and how many bytes since then continue a UTF-8 sequence.
  private var lineStart = 0
  private var continuations = 0

  init(_ text: some Sequence<UInt8>) {
    var octets = Array(text)
    octets.append(0)
    self.octets = octets
    if octets.starts(with: [0xEF, 0xBB, 0xBF]) {
      index = 3
      lineStart = 3
    }
  }

  mutating func document() throws(JSONError) -> JSONValue {
    guard octets.count <= JSONValue.maximumCount + 1 else {
      throw JSONError(
        at: .start, expected: "a text of at most \(JSONValue.maximumCount) bytes", found: "\(octets.count - 1)")
    }
    let value = try value(depth: 0)
    skipSpace()
    guard index == octets.count - 1 else { throw unexpected("the end of the text") }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    skipSpace()
    let start = position
    switch octets[index] {
    case UInt8(ascii: "{"): return JSONValue(.object(try members(depth)), at: start)
    case UInt8(ascii: "["): return JSONValue(.list(try elements(depth)), at: start)
    case UInt8(ascii: "\""): return JSONValue(.text(try text()), at: start)
    case UInt8(ascii: "-"), 0x30...0x39: return JSONValue(.number(try number()), at: start)
    case UInt8(ascii: "t"): return JSONValue(.flag(true), at: try word("true", start))
    case UInt8(ascii: "f"): return JSONValue(.flag(false), at: try word("false", start))
    case UInt8(ascii: "n"): return JSONValue(.null, at: try word("null", start))
    default: throw unexpected("a value")
    }
  }

  private mutating func members(_ depth: Int) throws(JSONError) -> [JSONValue.Member] {
    try enter(depth)
    var members: [JSONValue.Member] = []
    var keys: Set<String> = []
    if skip("}") { return members }
    repeat {
      skipSpace()
      let start = position
      guard octets[index] == UInt8(ascii: "\"") else { throw unexpected("a key in quotation marks") }
      let key = try text()
      guard keys.insert(key).inserted else {
        throw JSONError(
          at: start, expected: "a key that the object does not have yet", found: "\"\(key.prefix(40))\" again")
      }
      guard skip(":") else { throw unexpected("a colon") }
      members.append(JSONValue.Member(key, try value(depth: depth + 1), at: start))
    } while skip(",")
    guard skip("}") else { throw unexpected("a comma or }") }
    return members
  }

  private mutating func elements(_ depth: Int) throws(JSONError) -> [JSONValue] {
    try enter(depth)
    var values: [JSONValue] = []
    if skip("]") { return values }
    repeat { values.append(try value(depth: depth + 1)) } while skip(",")
    guard skip("]") else { throw unexpected("a comma or ]") }
    return values
  }

  private mutating func enter(_ depth: Int) throws(JSONError) {
    guard depth < JSONValue.maximumDepth else {
      throw JSONError(at: position, expected: "at most \(JSONValue.maximumDepth) levels", found: "another level")
    }
    index += 1
  }

  private mutating func text() throws(JSONError) -> String {
    let start = position
    index += 1
    var text: [UInt8] = []
    while true {
      let octet = octets[index]
      switch octet {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: text, as: UTF8.self) else {
          throw JSONError(at: start, expected: "a string in UTF-8", found: "other bytes")
        }
        return text
      case UInt8(ascii: "\\"): try text.append(contentsOf: escapedCharacter())
      // RFC 8259, section 7: control characters are written as escapes.
      case 0..<0x20: throw unexpected("a closing quotation mark")
      default:
        text.append(octet)
        if octet & 0xC0 == 0x80 { continuations += 1 }
        index += 1
      }
    }
  }

  private mutating func escapedCharacter() throws(JSONError) -> [UInt8] {
    index += 1
    let letter = octets[index]
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      index += 1
      return [letter]
    case UInt8(ascii: "u"):
      return Array(String(try escapedScalar()).utf8)
    default:
      let controls: [UInt8: UInt8] = [0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]
      guard let control = controls[letter] else { throw unexpected("one of \" \\ / b f n r t u") }
      index += 1
      return [control]
    }
  }

  // RFC 8259, section 7: a character above U+FFFF is written as a surrogate pair. Half of a pair is no character and is
  // read as U+FFFD.
  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try escapedUnit()
    guard (0xD800..<0xDC00).contains(first), octets[index] == UInt8(ascii: "\\"),
      octets[index + 1] == UInt8(ascii: "u")
    else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
    let next = index
    index += 1
    let second = try escapedUnit()
    guard (0xDC00..<0xE000).contains(second) else {
      index = next
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)) ?? "\u{FFFD}"
  }

  // The index is at the letter u, and behind the four digits afterwards.
  private mutating func escapedUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      index += 1
      guard let digit = hexadecimalDigit(octets[index]) else { throw unexpected("four hexadecimal digits") }
      unit = unit << 4 | UInt16(digit)
    }
    index += 1
    return unit
  }

  private func hexadecimalDigit(_ octet: UInt8) -> UInt8? {
    if isDigit(octet) { return octet - 0x30 }
    return (0x41...0x46).contains(octet & 0xDF) ? (octet & 0xDF) - 0x37 : nil
  }

  // RFC 8259, section 6: an optional minus, a whole part without leading zeros, a fraction and an exponent.
  private mutating func number() throws(JSONError) -> String {
    let start = index
    if octets[index] == UInt8(ascii: "-") { index += 1 }
    if octets[index] == UInt8(ascii: "0") { index += 1 } else { try digits() }
    if octets[index] == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if octets[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if octets[index] == UInt8(ascii: "+") || octets[index] == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    return String(decoding: octets[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(JSONError) {
    guard isDigit(octets[index]) else { throw unexpected("a digit") }
    while isDigit(octets[index]) { index += 1 }
  }

  private func isDigit(_ octet: UInt8) -> Bool { (0x30...0x39).contains(octet) }

  private mutating func word(_ word: String, _ start: JSONPosition) throws(JSONError) -> JSONPosition {
    for octet in word.utf8 {
      guard octets[index] == octet else { throw unexpected(word) }
      index += 1
    }
    return start
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard octets[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while true {
      switch octets[index] {
      case 0x0A:
        index += 1
        line += 1
        lineStart = index
        continuations = 0
      case 0x20, 0x09, 0x0D: index += 1
      default: return
      }
    }
  }

  private var position: JSONPosition {
    JSONPosition(line: line, column: index - lineStart - continuations + 1)
  }

  private func unexpected(_ expected: String) -> JSONError {
    let octet = octets[index]
    let found =
      index == octets.count - 1
      ? "the end of the text"
      : (0x20...0x7E).contains(octet)
        ? "\"\(Unicode.Scalar(octet))\"" : "the byte " + String(octet, radix: 16, uppercase: true)
    return JSONError(at: position, expected: expected, found: found)
  }
}
