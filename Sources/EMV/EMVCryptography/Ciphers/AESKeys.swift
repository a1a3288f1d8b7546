internal import CNettle
public import Octets

/// AES-128 keys, ready to use: the key schedules and CMAC subkeys of one or more keys in one locked block
/// (EMV 4.3 Book 2, B1.2). Nettle does the enciphering.
///
/// Only AES-128: the constant that the book's option C takes for 192 and 256 bits is ambiguous in print.
public struct AESKeys: ~Copyable, Sendable {
  /// The length of a key: 16 octets.
  public static let keyCount = 16

  private let block: Secret
  /// How many keys there are.
  public let count: Int

  /// Expands keys.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - key: Gives the key with an index; 16 octets, anything else traps.
  public init<Failure: Error>(count: Int, key: (Int) throws(Failure) -> Secret) throws(Failure) {
    self.init(room: count)
    for index in 0..<count {
      let key = try key(index)
      load(key, at: index)
    }
  }

  /// Expands a single key.
  ///
  /// - Parameter key: 16 octets; anything else traps.
  public init(_ key: borrowing Secret) {
    self.init(room: 1)
    load(key, at: 0)
  }

  private init(room count: Int) {
    precondition(count > 0, "a ring of keys has at least one key")
    block = Secret(count: count * MemoryLayout<cmac_aes128_ctx>.stride) { _ in }
    self.count = count
  }

  private borrowing func load(_ key: borrowing Secret, at index: Int) {
    key.withExposedOctets { octets in
      precondition(octets.count == Self.keyCount, "an AES-128 key has 16 octets")
      unsafe octets.withUnsafeBufferPointer { from in
        unsafe withSchedule(index) { unsafe nettle_cmac_aes128_set_key($0, from.baseAddress) }
      }
    }
  }

  /// Enciphers one block.
  public borrowing func encipher(_ block: UInt128, with index: Int = 0) -> UInt128 {
    var input = block.bigEndian
    var output: UInt128 = 0
    unsafe withSchedule(index) { schedule in
      unsafe withUnsafeMutableBytes(of: &output) { to in
        unsafe withUnsafeBytes(of: &input) { from in
          guard let target = to.baseAddress, let source = from.baseAddress else { return }
          unsafe contactless_cmac_aes128_encipher(
            schedule, target.assumingMemoryBound(to: UInt8.self), source.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return UInt128(bigEndian: output)
  }

  borrowing func withSchedule(_ index: Int, _ body: (UnsafeMutablePointer<cmac_aes128_ctx>) -> Void) {
    precondition(index >= 0 && index < count, "no key has this index")
    // The block is page-aligned and a whole number of schedules long.
    unsafe block.withExposedStorage { unsafe body($0.assumingMemoryBound(to: cmac_aes128_ctx.self) + index) }
  }
}
