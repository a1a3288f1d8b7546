/// The names of cards by their answers to reset, from the list of the package pcsc-tools: an ATR in hexadecimal with
/// `..` for any byte, then a line for each name, each behind a tab.
public struct ATRNameList: Sendable {
  private struct Entry {
    /// Nil for any byte.
    let pattern: [UInt8?]
    let names: [String]
  }

  private let entries: [Entry]

  /// Reads a list. An ATR in another form, such as one with alternatives in brackets, is left out.
  ///
  /// - Parameter text: The content of `smartcard_list.txt`, in UTF-8.
  public init(parsing text: [UInt8]) {
    var entries: [Entry] = []
    var pattern: [UInt8?]?
    var names: [String] = []
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) + [[]] {
      if line.first == 0x09 {
        names.append(String(decoding: line.dropFirst(), as: UTF8.self))
      } else if line.first != UInt8(ascii: "#") {
        if let pattern, !names.isEmpty { entries.append(Entry(pattern: pattern, names: names)) }
        (pattern, names) = (Self.pattern(line), [])
      }
    }
    self.entries = entries
  }

  /// The names of the cards with an answer to reset, those of an entry without `..` first; empty for a response that is
  /// not in the list. Each name says that it is of the list: cards of other kinds may have the same response.
  public func names(of answerToReset: [UInt8]) -> [String] {
    let found = entries.filter { $0.pattern.count == answerToReset.count && Self.matches($0.pattern, answerToReset) }
    let exact = found.filter { !$0.pattern.contains(nil) }
    return (exact.isEmpty ? found : exact).flatMap(\.names).map { "\($0) (list of pcsc-tools)" }
  }

  private static func matches(_ pattern: [UInt8?], _ octets: [UInt8]) -> Bool {
    zip(pattern, octets).allSatisfy { $0 == nil || $0 == $1 }
  }

  /// The bytes of a line such as `3B 80 .. 01`; nil for anything else.
  private static func pattern(_ line: ArraySlice<UInt8>) -> [UInt8?]? {
    var pattern: [UInt8?] = []
    for word in line.split(separator: 0x20) {
      if word.elementsEqual("..".utf8) {
        pattern.append(nil)
      } else if word.count == 2, let octet = UInt8(String(decoding: word, as: UTF8.self), radix: 16) {
        pattern.append(octet)
      } else {
        return nil
      }
    }
    return pattern.isEmpty ? nil : pattern
  }
}
