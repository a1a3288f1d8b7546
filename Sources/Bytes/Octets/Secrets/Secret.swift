import Glibc

/// Secret bytes in one block of locked memory that core dumps leave out and that is wiped on deinit.
///
/// Moving a Swift value leaves a copy of its bytes behind, so the bytes are in a block that never moves. Only the
/// functions whose names contain `expose` give access to them.
@safe
public struct Secret: ~Copyable, @unchecked Sendable {
  // @unchecked: only this non-copyable owner accesses the block.
  private let block: UnsafeMutableRawPointer
  private let blockSize: Int
  /// The number of bytes.
  public let count: Int

  /// Creates a secret of zeros, which the closure fills in place. Traps when `count` is below 1.
  public init<Failure: Error>(
    count: Int, filling body: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count > 0, "a secret has at least one byte")
    blockSize = SecretArena.blockSize(for: count)
    let base = unsafe SecretArena.take(blockSize: blockSize)
    unsafe block = base
    self.count = count
    var span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
    try body(&span)
  }

  /// Copies bytes and wipes the array, in its own storage unless another array shares it.
  public init(wiping octets: inout [UInt8]) {
    // There must be no second reference to the array here: wiping would write to a copy and leave the original.
    self.init(count: octets.count) { $0.copy(octets.span, to: 0) }
    octets.wipe()
  }

  /// Copies bytes. The original stays unprotected; the caller must wipe it.
  public init(copying octets: Span<UInt8>) {
    self.init(count: octets.count) { $0.copy(octets, to: 0) }
  }

  /// Copies bytes. The original stays unprotected; the caller must wipe it.
  public init(copying octets: [UInt8]) {
    self.init(count: octets.count) { $0.copy(octets.span, to: 0) }
  }

  deinit { unsafe SecretArena.giveBack(block, blockSize: blockSize) }

  /// Lends the bytes to a closure. Copies that the closure makes are unprotected.
  public borrowing func withExposedOctets<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let octets = unsafe UnsafeBufferPointer(start: block.assumingMemoryBound(to: UInt8.self), count: count)
    return try body(unsafe Span(_unsafeElements: octets))
  }

  /// Lends the block itself, in which a C library builds and uses a key schedule.
  public borrowing func withExposedStorage<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(block)
  }

  /// Returns an independent secret with the same bytes.
  public borrowing func duplicate() -> Secret {
    withExposedOctets { Secret(copying: $0) }
  }
}

extension [UInt8] {
  /// Overwrites the array with zeros; the optimiser cannot remove the writes. Other copies of the array stay.
  public mutating func wipe() {
    unsafe withUnsafeMutableBytes { octets in
      if let base = octets.baseAddress { unsafe explicit_bzero(base, octets.count) }
    }
  }
}

/// Compares bytes in a time that depends on the lengths only. Spans of different lengths are unequal.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in left.indices { difference |= left[index] ^ right[index] }
  return difference == 0
}
