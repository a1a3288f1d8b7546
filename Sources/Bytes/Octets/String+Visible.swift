extension String {
  /// The text of a card, a device, a user or a file as a program shows it: characters that control a terminal, end a line
  /// or are not visible become escapes such as `\u{1B}`.
  ///
  /// These are the control characters (C0, DEL and C1), the separators of lines and paragraphs, and characters without a
  /// glyph, such as those for the direction of text and those of no width. Variation selectors stay, because emoji have
  /// them. The result has no such character, so that a second call changes nothing.
  ///
  /// - Parameter kept: Characters that stay, such as the line feeds of a text of several lines.
  package func visible(keeping kept: String = "") -> String {
    escaped(keeping: kept) { "\\u{" + String($0.value, radix: 16, uppercase: true) + "}" }
  }

  /// JSON with escapes in place of the characters that `visible(keeping:)` names. They occur only in its texts.
  package var visibleJSON: String {
    escaped(keeping: "\n") { scalar in
      String(scalar).utf16.map { "\\u" + $0.hex }.joined()
    }
  }

  private func escaped(keeping kept: String, _ escape: (Unicode.Scalar) -> String) -> String {
    guard utf8.contains(where: { !(0x20...0x7E).contains($0) }) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      if scalar.isInvisible, !kept.unicodeScalars.contains(scalar) {
        shown += escape(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  fileprivate var isInvisible: Bool {
    guard !isASCII else { return value < 0x20 || value == 0x7F }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return true
    default: return properties.isDefaultIgnorableCodePoint && !(0xFE00...0xFE0F).contains(value)
    }
  }
}
