import EMVTerminal
import WholeFiles

/// The terminal inside the program.
enum ShippedTerminal {
  static let profile = PackageResources.attended_eur_json

  static func configuration() throws -> TerminalConfiguration { try TerminalConfiguration(json: profile) }

  /// The currencies of the terminal that the words of a command line name, or of this one; none for a file without one.
  static func currencies(after words: [String]) -> [String] {
    let file = words.firstIndex(of: "--terminal").flatMap { words.dropFirst($0 + 1).first }
    let named = try? file.map { try TerminalConfiguration(json: InputFile.text($0)) } ?? configuration()
    return named?.currencies.map(\.alphabeticCode) ?? []
  }
}
