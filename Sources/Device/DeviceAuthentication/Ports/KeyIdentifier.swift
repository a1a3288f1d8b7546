internal import Octets

/// Names a key of one device. The device chooses it when it creates the key, and never gives it to a second key.
public struct KeyIdentifier: Hashable, Sendable {
  /// The name, 1...64 bytes.
  public let octets: [UInt8]

  /// Reads an identifier, such as one that a wallet has stored. Nil for an empty array and for more than 64 bytes.
  public init?(_ octets: [UInt8]) {
    guard (1...64).contains(octets.count) else { return nil }
    self.octets = octets
  }
}

extension KeyIdentifier: Codable {
  /// Reads a name in hexadecimal.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let octets = try? [UInt8](hex: container.decode(String.self)), let key = KeyIdentifier(octets) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the name of a key has 1 to 64 bytes")
    }
    self = key
  }

  /// Writes the name in hexadecimal.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(octets.hex)
  }
}
