internal import EMVData
internal import Octets

/// Text of a file or a person that an error message quotes. Text in the wrong place may be anything, an account number, a PIN
/// or a key too.
public enum QuotedText {
  /// Returns the start of a text; of one that may hold an account number, a command with a PIN or keys, or a PIN block, only
  /// its length.
  ///
  /// - Parameter limit: The most characters.
  public static func shown(_ text: some StringProtocol, limit: Int = 40) -> String {
    let text = String(text)
    if AccountNumberSearch.mayHoldAccountNumber(text: text) || SecretText.isHeld(in: text) {
      return "(\(text.utf8.count.counted("character")))"
    }
    return text.count > limit ? text.prefix(limit) + "…" : text
  }
}
