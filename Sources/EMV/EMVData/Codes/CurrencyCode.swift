/// Currencies (ISO 4217, list one).
public enum CurrencyCode {
  /// The letters of a currency.
  ///
  /// - Parameter numericCode: The number of the currency: 978 for the euro.
  /// - Returns: `EUR` for 978; the number in three digits for one that the list does not have.
  public static func letters(numericCode: Int) -> String {
    let digits = String(numericCode)
    return CurrencyList.entries[numericCode]?.letters
      ?? String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// The number of a currency: 978 for `978`, `EUR` and `eur`; nil for one that the list does not have.
  public static func numericCode(of text: String) -> Int? {
    if let number = Int(text), text.utf8.count == 3 { return CurrencyList.entries[number].map { _ in number } }
    let letters = text.uppercased()
    return CurrencyList.entries.first { $0.value.letters == letters }?.key
  }

  /// The English name of a currency: `Euro` for 978; nil for one that the list does not have.
  public static func name(numericCode: Int) -> String? { CurrencyList.entries[numericCode]?.name }
}
