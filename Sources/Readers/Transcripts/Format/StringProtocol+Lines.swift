// The lines of recordings, compared and cut as bytes.
extension StringProtocol {
  /// Whether the bytes of the text begin with those of another one. A character may not end there: a combining character
  /// after `#` makes one character with it.
  package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// The text without white space at its ends.
  package var trimmed: String {
    // A combining character after white space is not a part of it.
    let start = unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(String.UnicodeScalarView(start[...last]))
  }
}

extension Substring {
  /// The text after a prefix, or nil without the prefix.
  package func after(_ prefix: String) -> Substring? {
    begins(with: prefix) ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// The line without a byte order mark and white space around it.
  package var importedLine: String {
    (unicodeScalars.first == "\u{FEFF}" ? Substring(unicodeScalars.dropFirst()) : self).trimmed
  }
}

extension String {
  /// The text after a prefix, or nil without the prefix.
  package func after(_ prefix: String) -> Substring? { self[...].after(prefix) }
}
