import Glibc

/// Octets that must not leak: one locked heap block, kept out of core dumps, wiped on deinit.
///
/// A moved Swift value leaves its bytes behind, so the octets live in a block that never moves. The only ways
/// out are the functions whose names contain `expose`.
@safe
public struct Secret: ~Copyable, @unchecked Sendable {
  // @unchecked: the block is reached only through this one non-copyable owner.
  private let block: UnsafeMutableRawPointer
  private let blockSize: Int
  /// The number of octets.
  public let count: Int

  /// Creates a secret of zeros and lets the closure fill it in place.
  public init<Failure: Error>(
    count: Int, filling body: (inout MutableRawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(count > 0, "a secret has at least one octet")
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = (count + page - 1) / page * page
    guard let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe base != MAP_FAILED
    else { preconditionFailure("the system has no memory for a secret") }
    // Best effort: a small RLIMIT_MEMLOCK must not stop the program.
    unsafe mlock(base, size)
    unsafe madvise(base, size, MADV_DONTDUMP)
    unsafe block = base
    blockSize = size
    self.count = count
    var span = unsafe MutableRawSpan(_unsafeStart: base, byteCount: count)
    try body(&span)
  }

  /// Copies octets in and wipes the array they came from, in its own storage unless the caller shares it.
  public init(wiping octets: inout [UInt8]) {
    // No second reference to the array here: wiping would then write to a copy and leave the original.
    self.init(count: octets.count) { $0.copy(octets.span, to: 0) }
    octets.wipe()
  }

  /// Copies octets in. The caller keeps, and answers for, the original.
  public init(copying octets: Span<UInt8>) {
    self.init(count: octets.count) { $0.copy(octets, to: 0) }
  }

  /// Copies octets in. The caller keeps, and answers for, the original.
  public init(copying octets: [UInt8]) {
    self.init(count: octets.count) { $0.copy(octets.span, to: 0) }
  }

  deinit {
    unsafe explicit_bzero(block, blockSize)
    unsafe munlock(block, blockSize)
    unsafe munmap(block, blockSize)
  }

  /// Lends the octets to a closure. What it copies out is no longer protected.
  public borrowing func withExposedOctets<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let octets = unsafe UnsafeBufferPointer(start: block.assumingMemoryBound(to: UInt8.self), count: count)
    return try body(unsafe Span(_unsafeElements: octets))
  }

  /// Lends the block itself, for a C library's key schedule that is built and used in place.
  public borrowing func withExposedStorage<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(block)
  }

  /// A second, independent block with the same octets.
  public borrowing func duplicate() -> Secret {
    withExposedOctets { Secret(copying: $0) }
  }
}

extension [UInt8] {
  /// Overwrites the array with zeros in a way the optimiser keeps. Other copies of the array are not reached.
  public mutating func wipe() {
    unsafe withUnsafeMutableBytes { octets in
      if let base = octets.baseAddress { unsafe explicit_bzero(base, octets.count) }
    }
  }
}

/// Compares in a time that depends on the lengths only. Different lengths are unequal.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in left.indices { difference |= left[index] ^ right[index] }
  return difference == 0
}
