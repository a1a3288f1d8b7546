import Fixtures
import JSON
import Octets

/// The vectors of `Fixtures/Vectors/jose` and `Fixtures/Vectors/wycheproof`.
enum Vectors {
  static func json(_ path: String) throws -> JSONValue {
    try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/" + path)))
  }

  /// The cases of a Wycheproof file, each with its group.
  static func cases(_ file: String) throws -> [(group: JSONValue, test: JSONValue)] {
    try json("wycheproof/\(file)")["testGroups"]?.list?.flatMap { group in
      (group["tests"]?.list ?? []).map { (group, $0) }
    } ?? []
  }
}

extension JSONValue {
  /// Bytes of a member in hexadecimal.
  func hex(_ name: String) throws -> [UInt8] { try [UInt8](hex: self[name]?.text ?? "missing \(name)") }

  /// The name of a Wycheproof case.
  var caseName: String { "\(self["tcId"]?.integer ?? 0) \(self["comment"]?.text ?? "")" }
}
