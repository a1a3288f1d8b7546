// Reads JSON (RFC 8259) and says where it is malformed, which `JSONDecoder` does not tell; and refuses a key that comes
// twice, which `JSONDecoder` does not see.
struct JSONReader {
  struct Fault: Error {
    let line: Int
    let column: Int
    let reason: String
  }

  // A profile nests five levels deep.
  static let maximumDepth = 16

  private let octets: [UInt8]
  private var next = 0

  static func value(_ octets: [UInt8]) throws(Fault) -> JSONValue {
    var reader = JSONReader(octets: octets)
    let value = try reader.value(depth: 1)
    guard reader.peek() == nil else { throw reader.fault("something follows the end of the document") }
    return value
  }

  private init(octets: [UInt8]) {
    self.octets = octets
  }

  private func fault(_ reason: String, at offset: Int? = nil) -> Fault {
    let before = octets.prefix(offset ?? next)
    let line = before.count { $0 == 0x0A } + 1
    let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return Fault(line: line, column: column, reason: reason)
  }

  // The next octet that is no white space, or nil at the end.
  private mutating func peek() -> UInt8? {
    while next < octets.count, [0x20, 0x09, 0x0A, 0x0D].contains(octets[next]) { next += 1 }
    return next < octets.count ? octets[next] : nil
  }

  private mutating func take(_ character: Character) -> Bool {
    guard peek() == character.asciiValue else { return false }
    next += 1
    return true
  }

  private mutating func value(depth: Int) throws(Fault) -> JSONValue {
    guard depth <= Self.maximumDepth else { throw fault("more than \(Self.maximumDepth) levels of nesting") }
    switch peek() {
    case nil: throw fault("the document ends where a value is needed")
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .list(try elements(depth: depth))
    case UInt8(ascii: "\""): return .text(try text())
    default: return try word()
    }
  }

  private mutating func members(depth: Int) throws(Fault) -> [String: JSONValue] {
    next += 1
    var members: [String: JSONValue] = [:]
    guard !take("}") else { return members }
    repeat {
      guard peek() == UInt8(ascii: "\"") else { throw fault("a key in quotation marks is needed") }
      let start = next
      let key = try text()
      guard take(":") else { throw fault("a colon is needed") }
      let value = try value(depth: depth + 1)
      guard members.updateValue(value, forKey: key) == nil else { throw fault("key \"\(key)\" comes twice", at: start) }
    } while take(",")
    guard take("}") else { throw fault("a comma or } is needed") }
    return members
  }

  private mutating func elements(depth: Int) throws(Fault) -> [JSONValue] {
    next += 1
    var elements: [JSONValue] = []
    guard !take("]") else { return elements }
    repeat { elements.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw fault("a comma or ] is needed") }
    return elements
  }

  // true, false, null or a number.
  private mutating func word() throws(Fault) -> JSONValue {
    let start = next
    let ends = Array(" \t\r\n,:]}".utf8)
    while next < octets.count, !ends.contains(octets[next]) { next += 1 }
    switch String(decoding: octets[start..<next], as: UTF8.self) {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "null": return .null
    case let word where isNumber(word): return Int(word).map(JSONValue.integer) ?? .fraction
    case let word: throw fault("\"\(word.prefix(20))\" is no value", at: start)
    }
  }

  private func isNumber(_ word: String) -> Bool {
    word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
  }

  private mutating func text() throws(Fault) -> String {
    let start = next
    next += 1
    var characters: [UInt8] = []
    while next < octets.count, octets[next] != UInt8(ascii: "\"") {
      let octet = octets[next]
      guard octet >= 0x20 else { throw fault("a control character stands in text") }
      next += 1
      if octet == UInt8(ascii: "\\") { characters += try escaped() } else { characters.append(octet) }
    }
    guard next < octets.count else { throw fault("text has no end", at: start) }
    next += 1
    guard let text = String(validating: characters, as: UTF8.self) else { throw fault("text is no UTF-8", at: start) }
    return text
  }

  // Profiles are ASCII: escapes beyond the basic plane have no use in them.
  private mutating func escaped() throws(Fault) -> [UInt8] {
    guard next < octets.count else { throw fault("text ends in an escape") }
    let octet = octets[next]
    next += 1
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [octet]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      let digits = String(decoding: octets[next...].prefix(4), as: UTF8.self)
      guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw fault("an escape is no character") }
      next += 4
      return Array(String(scalar).utf8)
    default: throw fault("an escape is unknown", at: next - 1)
    }
  }
}
