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
