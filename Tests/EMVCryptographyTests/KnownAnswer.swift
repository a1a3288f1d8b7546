import Ciphers
import EMVCryptography
import EMVData
import Octets
import Testing

/// One call of a function with its result in a vector file.
struct KnownAnswer: Decodable, Sendable, CustomTestStringConvertible {
  enum Argument: Decodable, Sendable {
    case text(String)
    case number(Int)
    case absent

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .absent
      } else if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  let grade: String?
  let args: [String: Argument]
  let out: String

  var testDescription: String {
    args.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") + " -> " + out
  }

  func optionalText(_ name: String) throws -> String? {
    switch try #require(args[name], "the vector has no argument \(name)") {
    case .text(let text): text
    case .number(let number): String(number)
    case .absent: nil
    }
  }

  func text(_ name: String) throws -> String {
    let text = try optionalText(name)
    return try #require(text, "the vector's argument \(name) is null")
  }

  func octets(_ name: String) throws -> [UInt8] { try [UInt8](hex: text(name)) }

  func integer<Integer: FixedWidthInteger>(_ name: String) throws -> Integer {
    let digits = try text(name)
    return try #require(Integer(digits, radix: 16))
  }

  func secret(_ name: String) throws -> Secret {
    let value = try octets(name)
    return Secret(copying: value)
  }

  func pin(_ name: String) throws -> PersonalIdentificationNumber? {
    guard let digits = try optionalText(name) else { return nil }
    var octets = Array(digits.utf8)
    return PersonalIdentificationNumber(wiping: &octets)
  }
}

func octets(_ hex: String) throws -> [UInt8] { try [UInt8](hex: hex) }

func secret(_ hex: String) throws -> Secret {
  let value = try octets(hex)
  return Secret(copying: value)
}

func exposedHex(_ secret: borrowing Secret) -> String { secret.withExposedOctets { $0.hex } }

func retailMAC(_ parts: [[UInt8]], _ key: borrowing Secret, _ padding: RetailMAC.Padding) -> UInt64 {
  let keys = TripleDESKeys(key)
  var mac = RetailMAC()
  for part in parts { mac.absorb(part.span, keys) }
  return mac.finish(padding, keys)
}
