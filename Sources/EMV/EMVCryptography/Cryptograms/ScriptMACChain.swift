internal import Ciphers
public import Octets

/// The MACs of the issuer script commands of one transaction in secure messaging format 1: each MAC begins with the whole MAC
/// of the command before, the first one with the card's cryptogram (EMV 4.4 Book 2, 9.2). A card that misses a command
/// refuses all later ones.
public struct ScriptMACChain: ~Copyable {
  private let keys: TripleDESKeys
  private var previous: UInt64

  /// Starts a chain.
  ///
  /// - Parameters:
  ///   - masterKey: The card's master key for script integrity, 16 bytes; any other length traps.
  ///   - atc: The application transaction counter, tag 9F36.
  ///   - cryptogram: The card's first cryptogram, tag 9F26.
  /// - Returns: Nil when the version has no scripts.
  public init?(_ version: CryptogramVersion, masterKey: borrowing Secret, atc: UInt16, cryptogram: UInt64) {
    guard version.script != nil else { return nil }
    keys = TripleDESKeys(version.scriptSessionKey(masterKey: masterKey, atc: atc, cryptogram: cryptogram))
    previous = cryptogram
  }

  /// Returns the MAC of the next command, eight bytes.
  ///
  /// - Parameters:
  ///   - header: CLA INS P1 P2.
  ///   - dataObject: The data object 81, 87 or B3 with tag and length; empty for a command without data.
  public mutating func next(header: [UInt8], dataObject: [UInt8]) -> UInt64 {
    var message = previous.bigEndianOctets + Self.padded(header)
    if !dataObject.isEmpty { message += Self.padded(dataObject) }
    previous = RetailMAC.value(ofBlocks: message.span, keys)
    return previous
  }

  // One byte 80, then zeros up to a whole block.
  private static func padded(_ octets: [UInt8]) -> [UInt8] {
    octets + [0x80] + [UInt8](repeating: 0, count: 7 - octets.count % 8)
  }
}
