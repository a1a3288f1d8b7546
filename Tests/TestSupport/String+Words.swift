extension StringProtocol {
  /// Whether the text contains a word, between characters that are neither letters nor digits.
  ///
  /// For short secrets: random identifiers, keys and hashes contain any few characters by chance, but rarely as a word.
  public func hasWord(_ word: String) -> Bool {
    split { !$0.isLetter && !$0.isNumber }.contains { $0 == word }
  }
}
