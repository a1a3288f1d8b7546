/// A language in which this terminal has the messages for the cardholder.
public enum CardholderLanguage: String, CaseIterable, Sendable {
  /// English.
  case english = "en"
  /// German.
  case german = "de"
  /// French.
  case french = "fr"

  // The language of the messages: the first one of the card's list that the terminal has, else the terminal's own.
  static func choose(card preference: [String], terminal: [CardholderLanguage]) -> CardholderLanguage {
    let wanted = preference.lazy.compactMap { CardholderLanguage(rawValue: $0) }
    return wanted.first(where: terminal.contains) ?? terminal.first ?? .english
  }
}
