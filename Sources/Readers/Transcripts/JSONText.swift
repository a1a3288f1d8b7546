/// A value of JSON (RFC 8259) with the line it begins in. Total, with a limit to nesting.
struct JSONText {
  indirect enum Value {
    case object([(key: String, value: JSONText)])
    case array([JSONText])
    case string(String)
    /// A number, `true`, `false` or `null`, as it is written.
    case literal(String)
  }

  let value: Value
  /// From 1.
  let line: Int

  /// Reads a whole text.
  init(parsing text: String) throws(TranscriptError) {
    guard text.utf8.count <= Self.maximumCount else {
      throw TranscriptError(.lineTooLong(count: text.utf8.count, limit: Self.maximumCount), line: 1)
    }
    var reader = JSONReader(text)
    self = try reader.value(depth: 0)
    try reader.end()
  }

  fileprivate init(_ value: Value, _ line: Int) {
    self.value = value
    self.line = line
  }

  /// 64 MiB.
  static let maximumCount = 67_108_864

  subscript(_ key: String) -> JSONText? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The text, or a fault that names what was expected.
  func string(_ expected: String) throws(TranscriptError) -> String {
    guard case .string(let text) = value else { throw ImportedLine.fault(kind, expected, line) }
    return text
  }

  func array(_ expected: String) throws(TranscriptError) -> [JSONText] {
    guard case .array(let values) = value else { throw ImportedLine.fault(kind, expected, line) }
    return values
  }

  /// A number as it is written, or nil.
  var number: Double? {
    guard case .literal(let text) = value else { return nil }
    return Double(text)
  }

  var kind: String {
    switch value {
    case .object: "an object"
    case .array: "an array"
    case .string: "a text"
    case .literal(let text): text
    }
  }

  /// A text as JSON.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct JSONReader {
  // Ours nests four deep.
  private static let maximumDepth = 32

  private let octets: [UInt8]
  private var index = 0
  private var line = 1

  init(_ text: String) { octets = Array(text.utf8) + [0] }

  mutating func value(depth: Int) throws(TranscriptError) -> JSONText {
    skipSpace()
    guard depth < Self.maximumDepth else {
      throw ImportedLine.fault("deeper nesting", "at most \(Self.maximumDepth) levels", line)
    }
    let start = line
    switch octets[index] {
    case UInt8(ascii: "{"): return JSONText(.object(try object(depth)), start)
    case UInt8(ascii: "["): return JSONText(.array(try array(depth)), start)
    case UInt8(ascii: "\""): return JSONText(.string(try string()), start)
    default: return JSONText(.literal(try literal()), start)
    }
  }

  mutating func end() throws(TranscriptError) {
    skipSpace()
    guard index == octets.count - 1 else { throw fault("the end of the text") }
  }

  private mutating func object(_ depth: Int) throws(TranscriptError) -> [(key: String, value: JSONText)] {
    var members: [(key: String, value: JSONText)] = []
    index += 1
    if skips("}") { return members }
    repeat {
      skipSpace()
      guard octets[index] == UInt8(ascii: "\"") else { throw fault("a name in quotes") }
      let key = try string()
      guard skips(":") else { throw fault("a colon") }
      members.append((key, try value(depth: depth + 1)))
    } while skips(",")
    guard skips("}") else { throw fault("a comma or }") }
    return members
  }

  private mutating func array(_ depth: Int) throws(TranscriptError) -> [JSONText] {
    var values: [JSONText] = []
    index += 1
    if skips("]") { return values }
    repeat { values.append(try value(depth: depth + 1)) } while skips(",")
    guard skips("]") else { throw fault("a comma or ]") }
    return values
  }

  private mutating func string() throws(TranscriptError) -> String {
    var text: [UInt8] = []
    index += 1
    while true {
      let octet = octets[index]
      switch octet {
      case UInt8(ascii: "\""):
        index += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        index += 1
        text += try escaped()
      case 0..<0x20: throw fault("a closing quotation mark")
      default:
        text.append(octet)
        index += 1
      }
    }
  }

  private mutating func escaped() throws(TranscriptError) -> [UInt8] {
    let letter = octets[index]
    let simple: [UInt8: UInt8] = [0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9]
    if let octet = simple[letter] {
      index += 1
      return [octet]
    }
    guard letter == UInt8(ascii: "u"), var unit = unit(at: index + 1) else { throw fault("an escape of JSON") }
    index += 5
    // A pair of surrogates is one character (RFC 8259, 7); half a pair is none.
    if (0xD800..<0xDC00).contains(unit), octets[index] == UInt8(ascii: "\\"), index + 1 < octets.count,
      octets[index + 1] == UInt8(ascii: "u"), let low = self.unit(at: index + 2), (0xDC00..<0xE000).contains(low)
    {
      index += 6
      unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    return Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
  }

  private func unit(at start: Int) -> UInt32? {
    guard start + 4 <= octets.count else { return nil }
    return UInt32(String(decoding: octets[start..<start + 4], as: UTF8.self), radix: 16)
  }

  private mutating func literal() throws(TranscriptError) -> String {
    let start = index
    while isLiteral(octets[index]) { index += 1 }
    let text = String(decoding: octets[start..<index], as: UTF8.self)
    guard ["true", "false", "null"].contains(text) || Double(text) != nil else {
      index = start
      throw fault("a value of JSON")
    }
    return text
  }

  private func isLiteral(_ octet: UInt8) -> Bool {
    (0x30...0x39).contains(octet) || (0x41...0x5A).contains(octet & 0xDF)
      || [0x2B, 0x2D, 0x2E].contains(octet)
  }

  private mutating func skips(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard octets[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while [0x20, 0x09, 0x0A, 0x0D].contains(octets[index]) {
      if octets[index] == 0x0A { line += 1 }
      index += 1
    }
  }

  private func fault(_ expected: String) -> TranscriptError {
    if index >= octets.count - 1 { return ImportedLine.fault("the end", expected, line) }
    return ImportedLine.unexpected(String(decoding: octets[index..<index + 1], as: UTF8.self), expected, line)
  }
}
