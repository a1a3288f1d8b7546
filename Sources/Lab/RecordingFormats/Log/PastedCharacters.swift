extension String {
  /// The text with plain characters in place of those that pages and word processors put there: blanks that do not break,
  /// quotation marks, dashes, characters without a width, and the entities of HTML.
  var withPlainCharacters: String {
    let text = utf8.contains(0x26) ? withoutEntities : self
    guard text.utf8.contains(where: { $0 >= 0xC2 }) else { return text }
    var plain = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: plain.append(" ")
      case 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0xAD, 0xFEFF: break
      case 0x201C...0x201F: plain.append("\"")
      case 0x2018...0x201B: plain.append("'")
      case 0x2010...0x2015, 0x2212: plain.append("-")
      default: plain.append(scalar)
      }
    }
    return String(plain)
  }

  private var withoutEntities: String {
    // The ampersand last: it may begin what only looks like another entity.
    let entities = [("&gt;", ">"), ("&lt;", "<"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    return entities.reduce(self) { $0.replacing($1.0, with: $1.1) }
  }
}
