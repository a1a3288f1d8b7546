import EMVTerminal
import WholeFiles

/// The terminals inside the program.
enum ShippedTerminal {
  /// The terminal of scenarios, of recordings without one, and of new profiles: an attended shop.
  static let profile = PackageResources.attended_eur_json
  /// The terminal that takes every shipped card: it has all kernels, and the keys and applications of the test authority.
  static let everyCard = PackageResources.all_kernels_json

  /// Compiles `everyCard`.
  static func forEveryCard() throws -> TerminalConfiguration { try TerminalConfiguration(json: everyCard) }

  /// The currencies of the terminal that the words of a command line name, or of this one; none for a file without one.
  static func currencies(after words: [String]) -> [String] {
    let file = words.firstIndex(of: "--terminal").flatMap { words.dropFirst($0 + 1).first }
    let named = try? file.map { try TerminalConfiguration(json: InputFile.text($0)) } ?? forEveryCard()
    return named?.currencies.map(\.alphabeticCode) ?? []
  }
}
