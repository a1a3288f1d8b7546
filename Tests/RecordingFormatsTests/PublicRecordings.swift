import Fixtures
import Foundation
import Octets
import Transcripts

/// Recordings of public collections, copied to `Fixtures/Vectors`.
enum PublicRecordings {
  static let devnied = (try? Fixtures.names(in: "Vectors/devnied", ending: ".txt")) ?? []

  /// Reads `send: <hex>` and `resp: <hex>`. An empty `send:` stands for any command and becomes nil.
  static func devnied(_ name: String) throws -> [(command: [UInt8]?, response: [UInt8])] {
    let text = String(decoding: try Fixtures.data("Vectors/devnied/\(name)"), as: UTF8.self)
    var exchanges: [(command: [UInt8]?, response: [UInt8])] = []
    var command: [UInt8]?
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("send:") {
        let octets = try [UInt8](hex: line.dropFirst(5))
        command = octets.isEmpty ? nil : octets
      } else if line.hasPrefix("resp:") {
        exchanges.append((command, try [UInt8](hex: line.dropFirst(5))))
      }
    }
    return exchanges
  }

  struct Phone: Decodable {
    struct Exchange: Decodable {
      let capdu: String
      let rapdu: String
    }
    let ats: String
    let exchanges: [Exchange]
  }

  static func phone() throws -> Phone {
    try JSONDecoder().decode(Phone.self, from: Fixtures.data("Vectors/proxmark3/hf_visa_apple_normal.apdu.json"))
  }
}
