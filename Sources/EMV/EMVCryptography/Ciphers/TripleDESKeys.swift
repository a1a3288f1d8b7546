internal import CNettle
public import Octets

/// Double-length triple-DES keys, ready to use: the key schedules of one or more keys in one locked block
/// (EMV 4.3 Book 2, B1.1). Nettle does the enciphering.
public struct TripleDESKeys: ~Copyable, Sendable {
  /// The length of a double-length key: 16 octets.
  public static let keyCount = 16

  // The schedules, then 16 octets for a derived key until its schedule is made.
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
    block = Secret(count: count * MemoryLayout<des3_ctx>.stride + Self.keyCount) { _ in }
    self.count = count
  }

  private borrowing func load(_ key: borrowing Secret, at index: Int) {
    key.withExposedOctets { octets in
      precondition(octets.count == Self.keyCount, "a double-length key has 16 octets")
      unsafe octets.withUnsafeBufferPointer { from in
        guard let halves = from.baseAddress else { return }
        unsafe withSchedule(index) { unsafe Self.expand(halves, into: $0) }
      }
    }
  }

  /// Puts the session key that one key of the ring derives in the place of a key: without allocation, for a card
  /// whose key depends on what the terminal sends (Mastercard's cryptogram versions 16 and 17).
  ///
  /// - Parameters:
  ///   - diversifier: R of the common session key derivation (EMV 4.3 Book 2, A1.3.1).
  ///   - source: Which key derives.
  ///   - target: Which key gives way; it may be the one that derives.
  public mutating func replaceKey(at target: Int, withSessionKeyFrom source: Int, diversifier: UInt64) {
    let halves = commonSessionKey(diversifier, with: source)
    unsafe block.withExposedStorage { base in
      let room = unsafe (base + count * MemoryLayout<des3_ctx>.stride).assumingMemoryBound(to: UInt8.self)
      unsafe UnsafeMutableRawPointer(room).storeBytes(of: halves.left.bigEndian, as: UInt64.self)
      unsafe UnsafeMutableRawPointer(room).storeBytes(of: halves.right.bigEndian, toByteOffset: 8, as: UInt64.self)
      unsafe withSchedule(target) { unsafe Self.expand(room, into: $0) }
      unsafe room.update(repeating: 0, count: Self.keyCount)
    }
  }

  // K1 K2 K1 is the double-length form of nettle's three keys. A weak key is the issuer's: nothing is refused.
  private static func expand(_ halves: UnsafePointer<UInt8>, into schedule: UnsafeMutablePointer<des3_ctx>) {
    let parts = unsafe UnsafeMutableRawPointer(schedule).assumingMemoryBound(to: des_ctx.self)
    _ = unsafe nettle_des_set_key(parts, halves)
    _ = unsafe nettle_des_set_key(parts + 1, halves + 8)
    unsafe (parts + 2).update(from: parts, count: 1)
  }

  /// Enciphers one block, E-D-E.
  public borrowing func encipher(_ block: UInt64, with index: Int = 0) -> UInt64 {
    unsafe transform(block, index) { context, output, input in
      unsafe nettle_des3_encrypt(context, 8, output, input)
    }
  }

  /// Enciphers one block with the left half of the key, single DES: the chaining step of the retail MAC.
  borrowing func encipherWithLeftHalf(_ block: UInt64, with index: Int) -> UInt64 {
    unsafe transform(block, index) { context, output, input in
      unsafe nettle_des_encrypt(leftHalf(of: context), 8, output, input)
    }
  }

  /// The last steps of the retail MAC: deciphers with the right half, enciphers with the left.
  borrowing func finishRetailMAC(_ block: UInt64, with index: Int) -> UInt64 {
    unsafe transform(block, index) { context, output, input in
      unsafe nettle_des_decrypt(leftHalf(of: context) + 1, 8, output, input)
      unsafe nettle_des_encrypt(leftHalf(of: context), 8, output, output)
    }
  }

  private borrowing func transform(
    _ block: UInt64, _ index: Int,
    _ operation: (UnsafePointer<des3_ctx>, UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>) -> Void
  ) -> UInt64 {
    var input = block.bigEndian
    var output: UInt64 = 0
    unsafe withSchedule(index) { context in
      unsafe withUnsafeMutableBytes(of: &output) { to in
        unsafe withUnsafeBytes(of: &input) { from in
          guard let target = to.baseAddress, let source = from.baseAddress else { return }
          unsafe operation(
            context, target.assumingMemoryBound(to: UInt8.self), source.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return UInt64(bigEndian: output)
  }

  private borrowing func withSchedule(_ index: Int, _ body: (UnsafeMutablePointer<des3_ctx>) -> Void) {
    precondition(index >= 0 && index < count, "no key has this index")
    // The block is page-aligned and begins with a whole number of schedules.
    unsafe block.withExposedStorage { unsafe body($0.assumingMemoryBound(to: des3_ctx.self) + index) }
  }
}

// A des3_ctx is three des_ctx in a row.
private func leftHalf(of context: UnsafePointer<des3_ctx>) -> UnsafePointer<des_ctx> {
  unsafe UnsafeRawPointer(context).assumingMemoryBound(to: des_ctx.self)
}
