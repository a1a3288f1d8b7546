import EMVTerminal
import JSON
import WholeFiles

/// The terminal inside the program.
enum ShippedTerminal {
  static let profile = PackageResources.attended_eur_json

  static func configuration() throws -> TerminalConfiguration { try TerminalConfiguration(json: profile) }

  /// The terminal that takes every shipped card: with the applications and the key of the shipped offline terminal, whose
  /// currencies are the only ones then, and the applications of the further kernels.
  static func withTestAuthority() throws -> TerminalConfiguration {
    let shop = try JSONValue(parsing: profile)
    let offline = try JSONValue(parsing: PackageResources.offline_json)
    let all = try JSONValue(parsing: PackageResources.all_kernels_json)
    let others = try JSONValue(parsing: PackageResources.kernels_6_7_json)
    let further = (all["applications"]?.list ?? []) + (others["applications"]?.list ?? [])
    let own = shop["applications"]?.list ?? []
    let kernels = own.map { $0["kernel"]?.integer }
    let currencies = (offline["currencies"]?.list ?? []).map { $0["name"]?.text }
    let applications = (own + further.filter { !kernels.contains($0["kernel"]?.integer) }).map { application in
      let limits = (application["limits"]?.list ?? []).filter { currencies.contains($0["currency"]?.text) }
      return application.setting("limits", to: JSONValue(limits))
    }
    return try TerminalConfiguration(
      shop.setting("currencies", to: offline["currencies"]).setting("capabilities", to: all["capabilities"])
        .setting("applications", to: JSONValue(applications + (offline["applications"]?.list ?? [])))
        .setting("certificationAuthorities", to: offline["certificationAuthorities"]))
  }

  /// The currencies of the terminal that the words of a command line name, or of this one; none for a file without one.
  static func currencies(after words: [String]) -> [String] {
    let file = words.firstIndex(of: "--terminal").flatMap { words.dropFirst($0 + 1).first }
    let named = try? file.map { try TerminalConfiguration(json: InputFile.text($0)) } ?? configuration()
    return named?.currencies.map(\.alphabeticCode) ?? []
  }
}
