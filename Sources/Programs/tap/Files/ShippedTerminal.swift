import EMVTerminal
import WholeFiles

/// The terminals inside the program.
enum ShippedTerminal {
  static let profile = PackageResources.attended_eur_json

  static func configuration() throws -> TerminalConfiguration { try TerminalConfiguration(json: profile) }

  /// The terminal that takes every shipped card: it has all kernels, and the keys and applications of the test authority.
  static func forEveryCard() throws -> TerminalConfiguration {
    try TerminalConfiguration(json: PackageResources.all_kernels_json)
  }

  /// The currencies of the terminal that the words of a command line name, or of this one; none for a file without one.
  static func currencies(after words: [String]) -> [String] {
    let file = words.firstIndex(of: "--terminal").flatMap { words.dropFirst($0 + 1).first }
    let named = try? file.map { try TerminalConfiguration(json: InputFile.text($0)) } ?? configuration()
    return named?.currencies.map(\.alphabeticCode) ?? []
  }
}
