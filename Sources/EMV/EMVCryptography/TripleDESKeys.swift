internal import CNettle
public import Octets

/// Double-length triple-DES keys, ready to use: the key schedules of one or more keys in one locked block
/// (EMV 4.3 Book 2, B1.1). Nettle does the enciphering.
public struct TripleDESKeys: ~Copyable, Sendable {
  /// The length of a double-length key: 16 octets.
  public static let keyCount = 16

  private let schedules: Secret
  /// How many keys there are.
  public let count: Int

  /// Expands keys.
  ///
  /// - Parameters:
  ///   - count: How many keys, at least 1.
  ///   - key: Gives the key with an index; 16 octets, anything else traps.
  public init<Failure: Error>(count: Int, key: (Int) throws(Failure) -> Secret) throws(Failure) {
    precondition(count > 0, "a ring of keys has at least one key")
    let stride = MemoryLayout<des3_ctx>.stride
    let block = Secret(count: count * stride) { _ in }
    for index in 0..<count {
      try key(index).withExposedOctets { octets in
        precondition(octets.count == Self.keyCount, "a double-length key has 16 octets")
        unsafe block.withExposedStorage { base in
          // The block is page-aligned and a whole number of schedules long.
          let schedule = unsafe (base + index * stride).bindMemory(to: des3_ctx.self, capacity: 1)
          unsafe Self.expand(octets, into: schedule)
        }
      }
    }
    schedules = block
    self.count = count
  }

  /// Expands a single key.
  public init(_ key: borrowing Secret) {
    let copy = key.duplicate()
    var taken: Secret? = copy
    self.init(count: 1) { _ in
      guard let only = taken.take() else { preconditionFailure("a single key is asked for once") }
      return only
    }
  }

  private static func expand(_ key: Span<UInt8>, into schedule: UnsafeMutablePointer<des3_ctx>) {
    // Nettle wants three keys: K1 K2 K1 is the double-length form. It refuses nothing; a weak key is the issuer's.
    let triple = Secret(count: 24) { octets in
      octets.copy(key, to: 0)
      octets.copy(key.extracting(0..<8), to: 16)
    }
    triple.withExposedOctets { octets in
      _ = unsafe octets.withUnsafeBufferPointer { unsafe nettle_des3_set_key(schedule, $0.baseAddress) }
    }
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
    precondition(index >= 0 && index < count, "no key has this index")
    var input = block.bigEndian
    var output: UInt64 = 0
    unsafe schedules.withExposedStorage { base in
      let context = unsafe base.assumingMemoryBound(to: des3_ctx.self) + index
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
}

// A des3_ctx is three des_ctx in a row.
private func leftHalf(of context: UnsafePointer<des3_ctx>) -> UnsafePointer<des_ctx> {
  unsafe UnsafeRawPointer(context).assumingMemoryBound(to: des_ctx.self)
}
