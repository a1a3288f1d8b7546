import Foundation

/// The types that a Swift file declares and names, read from its tokens: comments and texts are left out.
struct SwiftSource {
  /// The path below `Sources`, such as `EMV/EMVCard/Card/Card.swift`.
  let path: String
  /// The types at the top level that other files of the target see.
  let types: Set<String>
  /// The types that the file names and does not declare itself. A member, such as `Response` in `Kernel.Response`, is none.
  let uses: Set<String>

  /// The target: its folder below `Sources`.
  var target: String { path.split(separator: "/").prefix(2).joined(separator: "/") }
  /// The folder of the file.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// Reads a file.
  init(path: String, _ text: [UInt8]) {
    var reader = SwiftTokenReader(text)
    reader.readCode(isInterpolation: false)
    (self.path, types) = (path, reader.types)
    uses = reader.words.subtracting(reader.types).subtracting(reader.innerTypes)
  }

  /// All files below `Sources`.
  static func all() throws -> [SwiftSource] {
    let root = ExampleTests.root.appending(path: "Sources")
    let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
      SwiftSource(path: path, [UInt8](try Data(contentsOf: root.appending(path: path))))
    }
  }
}

/// Reads the declarations of types and the words that begin with a capital letter.
private struct SwiftTokenReader {
  private static let declarations: Set = [
    "struct", "class", "enum", "protocol", "actor", "typealias", "associatedtype",
  ]

  private let text: [UInt8]
  private var index = 0
  /// The number of open braces.
  private var depth = 0
  /// Whether a modifier of this line hides the declaration from other files.
  private var isPrivate = false
  /// Whether the last word declares a type, so that the next one is its name.
  private var isDeclaration = false

  private(set) var types: Set<String> = []
  /// Types that other files do not see, or see as members only.
  private(set) var innerTypes: Set<String> = []
  private(set) var words: Set<String> = []

  init(_ text: [UInt8]) { self.text = text }

  /// Reads to the end of the text, or of an interpolation in a string.
  mutating func readCode(isInterpolation: Bool) {
    var parentheses = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "/") where isNext("/"): skipLine()
      case UInt8(ascii: "/") where isNext("*"): skipComment()
      case UInt8(ascii: "\""): skipString(poundCount: 0)
      case UInt8(ascii: "#"): readPound()
      case UInt8(ascii: "{"): (depth, index) = (depth + 1, index + 1)
      case UInt8(ascii: "}"): (depth, index) = (depth - 1, index + 1)
      case UInt8(ascii: "("): (parentheses, index) = (parentheses + 1, index + 1)
      case UInt8(ascii: ")"):
        (parentheses, index) = (parentheses - 1, index + 1)
        if isInterpolation, parentheses < 0 { return }
      case UInt8(ascii: "\n"): (isPrivate, index) = (false, index + 1)
      case let octet where Self.isLetter(octet): readWord()
      default: index += 1
      }
    }
  }

  private static func isLetter(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  private func isNext(_ character: Unicode.Scalar) -> Bool {
    index + 1 < text.count && text[index + 1] == UInt8(ascii: character)
  }

  private mutating func skipLine() {
    while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
  }

  private mutating func skipComment() {
    var open = 0
    repeat {
      if text[index] == UInt8(ascii: "/"), isNext("*") {
        (open, index) = (open + 1, index + 2)
      } else if text[index] == UInt8(ascii: "*"), isNext("/") {
        (open, index) = (open - 1, index + 2)
      } else {
        index += 1
      }
    } while open > 0 && index < text.count
  }

  /// Reads `#` before a string with its own delimiter, or a directive.
  private mutating func readPound() {
    var end = index
    while end < text.count, text[end] == UInt8(ascii: "#") { end += 1 }
    let poundCount = end - index
    index = end
    if end < text.count, text[end] == UInt8(ascii: "\"") { skipString(poundCount: poundCount) }
  }

  private mutating func skipString(poundCount: Int) {
    let pounds = [UInt8](repeating: UInt8(ascii: "#"), count: poundCount)
    let quotes = text[index...].starts(with: [34, 34, 34]) ? 3 : 1
    index += quotes
    let end = [UInt8](repeating: UInt8(ascii: "\""), count: quotes) + pounds
    let escape = [UInt8(ascii: "\\")] + pounds
    while index < text.count, !(text[index] == end[0] && text[index...].starts(with: end)) {
      guard text[index] == escape[0], text[index...].starts(with: escape) else {
        index += 1
        continue
      }
      index += escape.count
      if index < text.count, text[index] == UInt8(ascii: "(") {
        index += 1
        readCode(isInterpolation: true)
      } else {
        index += 1
      }
    }
    index += end.count
  }

  private mutating func readWord() {
    let start = index
    while index < text.count, Self.isLetter(text[index]) { index += 1 }
    let word = String(decoding: text[start..<index], as: UTF8.self)
    let isAfterStop = start > 0 && text[start - 1] == UInt8(ascii: ".")
    // `0...Limit` names a type after a full stop.
    let isMember = isAfterStop && !(start > 1 && text[start - 2] == UInt8(ascii: "."))
    defer { isDeclaration = !isMember && Self.declarations.contains(word) }
    if word == "private" || word == "fileprivate" { isPrivate = true }
    guard let first = word.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first), !isMember else {
      return
    }
    if isDeclaration, depth == 0, !isPrivate {
      types.insert(word)
    } else if isDeclaration {
      innerTypes.insert(word)
    } else {
      words.insert(word)
    }
  }
}
