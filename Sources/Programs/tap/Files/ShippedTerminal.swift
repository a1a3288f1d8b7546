import EMVTerminal

/// The terminal inside the program.
enum ShippedTerminal {
  static let profile = PackageResources.attended_eur_json

  static func configuration() throws -> TerminalConfiguration { try TerminalConfiguration(json: profile) }
}
