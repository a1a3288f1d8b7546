internal import EMVData
internal import ISO7816

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

extension SelectedApplication {
  /// Tag 5F2D: up to four languages of two letters (ISO 639), the preferred one first (EMV 4.4 Book 3, annex A). Empty
  /// for an application without the tag, and for a value of another length.
  public var languages: [String] {
    let value = information.proprietary.first { $0.tag == .languagePreference }?.value ?? []
    guard (2...8).contains(value.count), value.count.isMultiple(of: 2) else { return [] }
    return stride(from: 0, to: value.count, by: 2).map {
      String(decoding: value[$0..<$0 + 2], as: UTF8.self).lowercased()
    }
  }
}
