internal import Glibc
internal import Synchronization

/// The locked memory of all secrets of this process.
///
/// Small secrets share pages: locking a page for each would cost five system calls per secret, and the usual limit of
/// locked memory, 8 MiB, would be reached by 2 000 secrets. Pages that were locked once stay for later secrets; a block
/// is zeroed before it is given back. Core dumps leave the pages out, and a forked child does not have them.
@safe
enum SecretArena {
  /// Larger secrets have pages of their own.
  private static let largestShared = 1_024
  private static let smallest = 64
  private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
  // The addresses of the blocks that no secret uses, by their size.
  private static let free = Mutex<[Int: [UInt]]>([:])

  /// The size of the block for a number of bytes.
  static func blockSize(for count: Int) -> Int {
    guard count <= largestShared else { return (count + pageSize - 1) / pageSize * pageSize }
    var size = smallest
    while size < count { size *= 2 }
    return size
  }

  /// Returns a block of zeros, aligned to 64 bytes.
  static func take(blockSize size: Int) -> UnsafeMutableRawPointer {
    guard size <= largestShared else { return unsafe lockedPages(size) }
    let address = free.withLock { free -> UInt in
      if let address = free[size]?.popLast() { return address }
      let page = UInt(bitPattern: unsafe lockedPages(pageSize))
      free[size, default: []] += stride(from: page + UInt(size), to: page + UInt(pageSize), by: size)
      return page
    }
    guard let block = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
      preconditionFailure("the system maps no secret at address 0")
    }
    return unsafe block
  }

  /// Zeroes a block that `take` returned and gives it back.
  static func giveBack(_ block: UnsafeMutableRawPointer, blockSize size: Int) {
    unsafe explicit_bzero(block, size)
    guard size <= largestShared else {
      unsafe munlock(block, size)
      unsafe munmap(block, size)
      return
    }
    let address = UInt(bitPattern: block)
    free.withLock { $0[size, default: []].append(address) }
  }

  private static func lockedPages(_ size: Int) -> UnsafeMutableRawPointer {
    guard let base = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe base != MAP_FAILED
    else { preconditionFailure("the system has no memory for a secret") }
    // A small RLIMIT_MEMLOCK must not stop the program.
    if unsafe mlock(base, size) != 0 { LockFailure.report(errno) }
    unsafe madvise(base, size, MADV_DONTDUMP)
    unsafe madvise(base, size, MADV_DONTFORK)
    return unsafe base
  }
}
