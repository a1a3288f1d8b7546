import Fixtures
import Foundation
import ISO7816
import Octets

/// The exchanges of `Vectors/emv-utils/scripted_exchanges.json`.
enum ScriptedExchanges {
  struct Exchange: Decodable, Sendable {
    /// Command and response in hexadecimal text.
    let c: String
    let r: String
  }

  struct Program: Decodable, Sendable {
    let exchanges: [String: [Exchange]]
    let data: [String: String]
  }

  static func programs() throws -> [String: Program] {
    try JSONDecoder().decode(
      [String: Program].self, from: Fixtures.data("Vectors/emv-utils/scripted_exchanges.json"))
  }

  static func program(_ name: String) throws -> Program {
    guard let program = try programs()[name] else { throw Missing(name: name) }
    return program
  }

  struct Missing: Error {
    let name: String
  }
}
