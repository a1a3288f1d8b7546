internal import Octets

/// The key schedules of one or more 16-byte keys in one locked block that never moves: what AES and triple DES share.
struct KeySchedules<Schedule>: ~Copyable, Sendable {
  /// The length of a key: 16 bytes, for AES-128 and for double-length triple DES.
  static var keyCount: Int { 16 }

  // The schedules, then room for one key that is derived in place.
  private let block: Secret
  /// The number of keys.
  let count: Int

  /// Reserves room for schedules of zeros. Traps when `count` is below 1.
  init(count: Int) {
    precondition(count > 0, "a cipher needs at least one key")
    block = Secret(count: count * MemoryLayout<Schedule>.stride + Self.keyCount) { _ in }
    self.count = count
  }

  /// Makes the schedule of a key. Traps when the key does not have 16 bytes or the index is out of range.
  borrowing func load(
    _ key: borrowing Secret, at index: Int,
    _ expand: (UnsafePointer<UInt8>, UnsafeMutablePointer<Schedule>) -> Void
  ) {
    key.withExposedOctets { octets in
      precondition(octets.count == Self.keyCount, "the key has \(octets.count.bytes): 16 are needed")
      unsafe octets.withUnsafeBufferPointer { from in
        guard let key = from.baseAddress else { return }
        unsafe withSchedule(index) { unsafe expand(key, $0) }
      }
    }
  }

  /// Makes the schedule of a key that another key derives from two blocks, without allocating; wipes the derived key
  /// afterwards.
  ///
  /// - Parameters:
  ///   - target: The index of the new schedule.
  ///   - source: The index of the key that derives; it may be the same.
  ///   - encipher: Enciphers the two blocks in place.
  borrowing func derive(
    _ left: UInt64, _ right: UInt64, at target: Int, from source: Int,
    _ encipher: (UnsafeMutablePointer<Schedule>, UnsafeMutablePointer<UInt8>) -> Void,
    _ expand: (UnsafePointer<UInt8>, UnsafeMutablePointer<Schedule>) -> Void
  ) {
    unsafe block.withExposedStorage { base in
      let room = unsafe base + count * MemoryLayout<Schedule>.stride
      unsafe room.storeBytes(of: left.bigEndian, as: UInt64.self)
      unsafe room.storeBytes(of: right.bigEndian, toByteOffset: 8, as: UInt64.self)
      let key = unsafe room.assumingMemoryBound(to: UInt8.self)
      unsafe withSchedule(source) { unsafe encipher($0, key) }
      unsafe withSchedule(target) { unsafe expand(key, $0) }
      unsafe key.update(repeating: 0, count: Self.keyCount)
    }
  }

  /// Lends the schedule with an index. Traps when the index is out of range.
  borrowing func withSchedule<Result>(_ index: Int, _ body: (UnsafeMutablePointer<Schedule>) -> Result) -> Result {
    precondition(index >= 0 && index < count, "no key has this index")
    // The block is page-aligned and begins with a whole number of schedules.
    return unsafe block.withExposedStorage { unsafe body($0.assumingMemoryBound(to: Schedule.self) + index) }
  }

  /// Returns what an operation makes of one cipher block, with the first byte in the highest place.
  borrowing func transform<Block: FixedWidthInteger & BitwiseCopyable>(
    _ block: Block, with index: Int,
    _ operation: (UnsafeMutablePointer<Schedule>, UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>) -> Void
  ) -> Block {
    var input = block.bigEndian
    var output: Block = 0
    unsafe withSchedule(index) { schedule in
      unsafe withUnsafeMutableBytes(of: &output) { to in
        unsafe withUnsafeBytes(of: &input) { from in
          guard let target = to.baseAddress, let source = from.baseAddress else { return }
          unsafe operation(
            schedule, target.assumingMemoryBound(to: UInt8.self), source.assumingMemoryBound(to: UInt8.self))
        }
      }
    }
    return Block(bigEndian: output)
  }
}
