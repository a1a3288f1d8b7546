internal import Octets

/// Why a text has no issuer keys. Never a part of the text: it may be a key.
public struct IssuerKeyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column, in bytes from 1.
  public let column: Int
  /// What is wrong there, and what is needed.
  public let reason: String

  /// A sentence.
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension IssuerKeys {
  /// The most bytes of a text with keys.
  public static let maximumTextCount = 4096

  private static let form =
    "\"cryptogram: KEY\", \"cvc3: KEY\" or \"script: KEY\", with KEY of 32 hexadecimal digits (16 bytes)"
  private static let digitCount = 32

  /// Reads the line `cryptogram: KEY`, and `cvc3: KEY` and `script: KEY` where those keys are others. `#` begins a comment.
  ///
  /// - Throws: `IssuerKeyError` with the place of the first problem.
  public convenience init(parsing text: some Sequence<UInt8>) throws(IssuerKeyError) {
    let octets = Array(text)
    guard octets.count <= Self.maximumTextCount else {
      throw IssuerKeyError(
        line: 1, column: 1, reason: "the text has \(octets.count.bytes): the limit is \(Self.maximumTextCount)")
    }
    var keys: [String: [UInt8]] = [:]
    defer { for name in keys.keys { keys[name]?.wipe() } }
    let lines = octets.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard let (name, key, column) = try Self.entry(line, index + 1) else { continue }
      guard keys.updateValue(key, forKey: name) == nil else {
        throw IssuerKeyError(line: index + 1, column: column, reason: "the key \"\(name)\" stands here twice")
      }
    }
    guard let cryptogram = keys["cryptogram"] else {
      throw IssuerKeyError(line: 1, column: 1, reason: "there is no cryptogram key: a line is \(Self.form)")
    }
    self.init(
      cryptogram: Secret(copying: cryptogram), cvc3: Secret(copying: keys["cvc3"] ?? cryptogram),
      script: Secret(copying: keys["script"] ?? cryptogram))
  }

  /// The name and the key of a line, and the column of the name; nil for an empty line and a comment.
  private static func entry(
    _ whole: ArraySlice<UInt8>, _ number: Int
  ) throws(IssuerKeyError) -> (name: String, key: [UInt8], column: Int)? {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    func fault(_ place: Int, _ reason: String) -> IssuerKeyError {
      IssuerKeyError(line: number, column: place - whole.startIndex + 1, reason: reason)
    }
    let line = whole.prefix { $0 != UInt8(ascii: "#") }.drop(while: isSpace)
    guard !line.isEmpty else { return nil }
    let name = ["cryptogram", "cvc3", "script"].first { line.starts(with: Array("\($0):".utf8)) }
    guard let name else { throw fault(line.startIndex, "a line is \(form)") }
    let digits = line.dropFirst(name.utf8.count + 1).drop(while: isSpace).prefix { !isSpace($0) }
    if let place = digits.indices.first(where: { !Character(UnicodeScalar(digits[$0])).isHexDigit }) {
      throw fault(place, "a hexadecimal digit is needed: a line is \(form)")
    }
    guard digits.count == digitCount, let key = try? [UInt8](hex: String(decoding: digits, as: UTF8.self)) else {
      throw fault(digits.startIndex, "the key has \(digits.count.counted("digit")): a line is \(form)")
    }
    guard let place = line[digits.endIndex...].firstIndex(where: { !isSpace($0) }) else {
      return (name, key, line.startIndex - whole.startIndex + 1)
    }
    throw fault(place, "the end of the line is needed: a line is \(form)")
  }
}
