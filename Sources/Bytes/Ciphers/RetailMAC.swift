internal import Octets

/// ISO/IEC 9797-1 MAC algorithm 3 with DES: single DES along the message, triple DES at its end
/// (EMV 4.3 Book 2, A1.2.1). Reads the message in pieces and allocates nothing.
public struct RetailMAC: Sendable {
  /// The padding of the last block.
  public enum Padding: Sendable {
    /// Method 1: zeros up to a whole block; no padding when the message ends with a block.
    case zeros
    /// Method 2: one byte 80, then zeros.
    case mandatory
  }

  private var chain: UInt64 = 0
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// Starts an empty message.
  public init() {}

  /// Reads the next bytes of the message.
  public mutating func absorb(_ octets: Span<UInt8>, _ keys: borrowing TripleDESKeys, with index: Int = 0) {
    var position = 0
    let bits = UInt64(pendingCount &* 8)
    // A block at a time. The bytes that do not fill a block wait in `pending`, as many after a block as before it.
    while octets.count &- position >= 8 {
      let word = octets.integer(at: position, as: UInt64.self)
      let block = bits == 0 ? word : pending << (64 &- bits) | word >> bits
      chain = keys.encipherWithLeftHalf(chain ^ block, with: index)
      pending = word & (1 << bits &- 1)
      position &+= 8
    }
    while position < octets.count {
      absorb(octets[position], keys, with: index)
      position &+= 1
    }
  }

  /// Reads the next byte of the message.
  public mutating func absorb(_ octet: UInt8, _ keys: borrowing TripleDESKeys, with index: Int = 0) {
    pending = pending << 8 | UInt64(octet)
    pendingCount += 1
    guard pendingCount == 8 else { return }
    chain = keys.encipherWithLeftHalf(chain ^ pending, with: index)
    pending = 0
    pendingCount = 0
  }

  /// Reads the low bytes of a number, most significant first.
  public mutating func absorb(_ number: UInt64, count: Int, _ keys: borrowing TripleDESKeys, with index: Int = 0) {
    for position in (0..<count).reversed() {
      absorb(UInt8(truncatingIfNeeded: number >> UInt64(8 * position)), keys, with: index)
    }
  }

  /// Returns the MAC of a message that is padded already, for a card that lays out its messages before a tap.
  ///
  /// - Parameter octets: Whole blocks of 8 bytes; a rest traps.
  public static func value(
    ofBlocks octets: Span<UInt8>, _ keys: borrowing TripleDESKeys, with index: Int = 0
  ) -> UInt64 {
    precondition(octets.count.isMultiple(of: 8), "a padded message consists of whole blocks")
    return keys.retailMAC(ofBlocks: octets, with: index)
  }

  /// Ends the message and returns the 8 bytes of the MAC.
  public consuming func finish(
    _ padding: Padding, _ keys: borrowing TripleDESKeys, with index: Int = 0
  ) -> UInt64 {
    var mac = self
    if padding == .mandatory { mac.absorb(0x80, keys, with: index) }
    while mac.pendingCount != 0 { mac.absorb(0x00, keys, with: index) }
    return keys.finishRetailMAC(mac.chain, with: index)
  }
}
