/// A word or sign of a `NameExpression`.
struct NameToken {
  enum Kind: Equatable, CustomStringConvertible {
    case word(String)
    case and, or, not, open, close

    var description: String {
      switch self {
      case .word(let word): "\"\(word)\""
      case .and: "\"and\""
      case .or: "\"or\""
      case .not: "\"not\""
      case .open: "\"(\""
      case .close: "\")\""
      }
    }
  }

  let kind: Kind
  /// From 1.
  let column: Int

  /// All words and signs of a text.
  ///
  /// - Throws: `NameExpression.Fault` for a quotation mark without its end.
  static func all(in text: String) throws(NameExpression.Fault) -> [NameToken] {
    let letters = Array(text)
    var tokens: [NameToken] = []
    var index = 0
    while index < letters.count {
      let (letter, start) = (letters[index], index)
      index += 1
      switch letter {
      case _ where letter.isWhitespace: continue
      case "(": tokens.append(NameToken(kind: .open, column: start + 1))
      case ")": tokens.append(NameToken(kind: .close, column: start + 1))
      case "\"", "'":
        guard let end = letters[index...].firstIndex(of: letter) else {
          throw NameExpression.Fault(column: start + 1, reason: "the quotation mark has no end")
        }
        tokens.append(NameToken(kind: .word(String(letters[index..<end])), column: start + 1))
        index = end + 1
      default:
        while index < letters.count, !letters[index].isWhitespace, !"()".contains(letters[index]) { index += 1 }
        tokens.append(NameToken(kind: kind(of: String(letters[start..<index])), column: start + 1))
      }
    }
    return tokens
  }

  private static func kind(of word: String) -> Kind {
    switch word {
    case "and": .and
    case "or": .or
    case "not": .not
    default: .word(word)
    }
  }
}
