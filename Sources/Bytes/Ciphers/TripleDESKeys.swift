internal import CNettle
public import Octets

/// Double-length triple-DES keys with their key schedules, one or more in one locked block (EMV 4.3 Book 2, B1.1).
/// Nettle enciphers.
public struct TripleDESKeys: ~Copyable, Sendable {
  /// The length of a double-length key: 16 bytes.
  public static let keyCount = 16

  private let schedules: KeySchedules<des3_ctx>
  /// The number of keys.
  public var count: Int { schedules.count }

  /// Expands keys.
  ///
  /// - Parameters:
  ///   - count: The number of keys, at least 1.
  ///   - key: Returns the key with an index; a key of another length than 16 bytes traps.
  public init<Failure: Error>(count: Int, key: (Int) throws(Failure) -> Secret) throws(Failure) {
    schedules = KeySchedules(count: count)
    for index in 0..<count {
      let key = try key(index)
      unsafe schedules.load(key, at: index, Self.expand)
    }
  }

  /// Expands a single key.
  ///
  /// - Parameter key: 16 bytes; another length traps.
  public init(_ key: borrowing Secret) {
    schedules = KeySchedules(count: 1)
    unsafe schedules.load(key, at: 0, Self.expand)
  }

  /// Replaces a key by one that a key enciphers from two blocks. Allocates nothing.
  ///
  /// - Parameters:
  ///   - left: The block that becomes the left half.
  ///   - right: The block that becomes the right half.
  ///   - target: The index of the key that is replaced; it may be that of the enciphering key.
  ///   - source: The index of the key that enciphers.
  package mutating func replaceKey(_ left: UInt64, _ right: UInt64, at target: Int, from source: Int) {
    unsafe schedules.derive(
      left, right, at: target, from: source, { unsafe nettle_des3_encrypt($0, Self.keyCount, $1, $1) }, Self.expand)
  }

  // Nettle's three keys are K1 K2 K1 for a double-length key. Weak keys are accepted: the issuer chose them.
  private static func expand(_ halves: UnsafePointer<UInt8>, into schedule: UnsafeMutablePointer<des3_ctx>) {
    let parts = unsafe leftHalf(of: schedule)
    _ = unsafe nettle_des_set_key(parts, halves)
    _ = unsafe nettle_des_set_key(parts + 1, halves + 8)
    unsafe (parts + 2).update(from: parts, count: 1)
  }

  /// Enciphers one block: encipher, decipher, encipher.
  public borrowing func encipher(_ block: UInt64, with index: Int = 0) -> UInt64 {
    unsafe schedules.transform(block, with: index) { unsafe nettle_des3_encrypt($0, 8, $1, $2) }
  }

  /// Enciphers one block with the left half of the key, single DES: the chaining step of the retail MAC.
  borrowing func encipherWithLeftHalf(_ block: UInt64, with index: Int) -> UInt64 {
    unsafe schedules.transform(block, with: index) { unsafe nettle_des_encrypt(leftHalf(of: $0), 8, $1, $2) }
  }

  /// Computes the retail MAC of whole blocks.
  ///
  /// One loan of the schedule serves all blocks, which are chained in the order of memory.
  borrowing func retailMAC(ofBlocks octets: Span<UInt8>, with index: Int) -> UInt64 {
    unsafe schedules.withSchedule(index) { schedule in
      let left = unsafe leftHalf(of: schedule)
      var chain: UInt64 = 0
      var position = 0
      while position < octets.count {
        chain ^= octets.integer(at: position, as: UInt64.self).bigEndian
        unsafe transform(&chain) { unsafe nettle_des_encrypt(left, 8, $0, $0) }
        position &+= 8
      }
      unsafe transform(&chain) { unsafe nettle_des_decrypt(left + 1, 8, $0, $0) }
      unsafe transform(&chain) { unsafe nettle_des_encrypt(left, 8, $0, $0) }
      return UInt64(bigEndian: chain)
    }
  }

  /// Performs the last steps of the retail MAC: deciphers with the right half, enciphers with the left half.
  borrowing func finishRetailMAC(_ block: UInt64, with index: Int) -> UInt64 {
    unsafe schedules.transform(block, with: index) { schedule, output, input in
      unsafe nettle_des_decrypt(leftHalf(of: schedule) + 1, 8, output, input)
      unsafe nettle_des_encrypt(leftHalf(of: schedule), 8, output, output)
    }
  }
}

// Lends the bytes of a block in the order of memory.
private func transform(_ block: inout UInt64, _ operation: (UnsafeMutablePointer<UInt8>) -> Void) {
  unsafe withUnsafeMutableBytes(of: &block) { octets in
    if let start = octets.baseAddress { unsafe operation(start.assumingMemoryBound(to: UInt8.self)) }
  }
}

// A des3_ctx is three des_ctx in a row.
private func leftHalf(of schedule: UnsafeMutablePointer<des3_ctx>) -> UnsafeMutablePointer<des_ctx> {
  unsafe UnsafeMutableRawPointer(schedule).assumingMemoryBound(to: des_ctx.self)
}
