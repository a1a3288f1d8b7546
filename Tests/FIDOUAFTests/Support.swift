import Documents
import Fixtures
import JOSE
import JSON

@testable import FIDOUAF

/// The vectors of `Fixtures/Vectors/uaf`.
enum Vectors {
  static func json(_ file: String) throws -> JSONValue {
    try JSONValue(parsing: [UInt8](Fixtures.data("Vectors/uaf/\(file).json")))
  }

  static let generated: JSONValue = {
    do {
      return try json("generated_surrogate")
    } catch {
      preconditionFailure("the generated vectors cannot be read: \(error)")
    }
  }()

  static let aaid = AAID.valid("F1D0#1001")
  static let keyID: KeyID = {
    guard let keyID = KeyID([UInt8](repeating: 7, count: 32)) else {
      preconditionFailure("32 bytes are a key identifier")
    }
    return keyID
  }()
}

extension AAID {
  /// An identifier that a test states.
  static func valid(_ text: String) -> AAID {
    guard let aaid = AAID(text) else { preconditionFailure("\(text) is not an AAID") }
    return aaid
  }
}

/// The message of a test, changed at one place.
enum Changed {
  /// A registration request that every test starts from.
  static let registration: JSONValue = [
    "header": [
      "upv": ["major": 1, "minor": 1], "op": "Reg", "appID": "https://fido.example.test/facets",
      "serverData": "AAAA", "exts": [["id": "x", "data": "", "fail_if_unknown": false]],
    ],
    "challenge": "AAECAwQFBgc", "username": "alice",
    "policy": ["accepted": [[["aaid": ["F1D0#1001"]]]]],
  ]

  /// Replaces the value at a path such as `header.upv.major`; nil removes the member.
  static func at(_ path: String, _ value: JSONValue?, in json: JSONValue = registration) -> JSONValue {
    let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
    var members = (json.members ?? []).map { ($0.key, $0.value) }
    let index = members.firstIndex { $0.0 == parts[0] }
    if parts.count == 2 {
      guard let index else { preconditionFailure("the message has no member \(parts[0])") }
      members[index].1 = at(parts[1], value, in: members[index].1)
    } else if let value {
      if let index { members[index].1 = value } else { members.append((parts[0], value)) }
    } else {
      members.removeAll { $0.0 == parts[0] }
    }
    return JSONValue(members: members)
  }
}
