import TestSupport

extension Scratch {
  /// Writes a scenario that judges a terminal, and returns its path. Its name is also its identifier and the name of the
  /// file.
  ///
  /// - Parameters:
  ///   - card: The path of the card profile; nil for a shipped Visa card.
  ///   - further: Further keys of the card, such as `leavesAfter: 2`.
  ///   - expect: The keys of `expect`.
  func terminalScenario(
    _ name: String, amount: String = "12.34", card: String? = nil, _ further: String = "", expect: String
  ) throws -> String {
    try write(
      "\(name).yaml",
      """
      role: card
      id: \(name)
      name: \(name)
      rule: EMV 4.4 Book 3, 10.2
      amount: \(amount)
      currency: EUR
      card: {file: \(card ?? TapProgram.card("visa-cvn18"))\(further.isEmpty ? "" : ", \(further)")}
      expect: {\(expect)}

      """)
  }
}
