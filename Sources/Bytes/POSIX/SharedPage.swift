internal import CSharedPage
internal import Glibc
internal import Synchronization

/// A page of 512 numbers that processes share through a mapped file. All accesses are sequentially consistent.
///
/// A file that is truncated under the page ends no process: the page of this process is empty from then on, and no longer
/// shared.
@safe package final class SharedPage: Sendable {
  /// The numbers of a page.
  package static let count = 512
  private static let octetCount = count * 8

  private typealias Word = Atomic<UInt64>

  // Valid until `deinit`. Every access to it is atomic.
  nonisolated(unsafe) private let words: UnsafeMutablePointer<Word>
  private let isMapped: Bool
  private let identity: FileStatus.Identity?

  /// Creates a page in the memory of this process only.
  package init() {
    unsafe words = UnsafeMutablePointer<Word>.allocate(capacity: Self.count)
    for place in 0..<Self.count { unsafe (words + place).initialize(to: Word(0)) }
    (isMapped, identity) = (false, nil)
  }

  /// Maps a file, which is created or lengthened to the size of a page.
  ///
  /// - Throws: `ENOTSUP` on a file system that other machines can write, where a mapped page shows no changes of theirs;
  ///   `ENOMEM` when this process has mapped 64 pages.
  package init(mapping path: String) throws(SystemError) {
    let file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
    guard try !Self.isRemote(file) else { throw SystemError(ENOTSUP) }
    let status = try file.status()
    if status.size < Self.octetCount, ftruncate(file.number, off_t(Self.octetCount)) != 0 { throw SystemError() }
    let mapped = unsafe mmap(nil, Self.octetCount, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { throw SystemError() }
    let error = unsafe cpage_keep(mapped)
    guard error == 0 else {
      unsafe munmap(mapped, Self.octetCount)
      throw SystemError(error)
    }
    // An atomic number has the representation of the number.
    unsafe words = mapped.bindMemory(to: Word.self, capacity: Self.count)
    (isMapped, identity) = (true, status.identity)
  }

  deinit {
    guard isMapped else { return unsafe words.deallocate() }
    unsafe cpage_release(words)
    unsafe munmap(words, Self.octetCount)
  }

  /// Whether the page is that of the file which has a path now.
  package func isMapped(from path: String) -> Bool {
    guard let identity else { return false }
    return (try? FileStatus(of: path, followsLinks: false).identity) == identity
  }

  /// Reads a number.
  package func load(_ place: Int) -> UInt64 { unsafe word(place).pointee.load(ordering: .sequentiallyConsistent) }

  /// Writes a number.
  package func store(_ value: UInt64, at place: Int) {
    unsafe word(place).pointee.store(value, ordering: .sequentiallyConsistent)
  }

  /// Raises a number by 1. Returns the value before.
  @discardableResult
  package func raise(_ place: Int) -> UInt64 {
    unsafe word(place).pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
  }

  /// Reads two numbers and adds them.
  package func sum(_ first: Int, _ second: Int) -> UInt64 { load(first) &+ load(second) }

  /// Writes a number that is 0 now.
  package func initialize(_ place: Int, to value: UInt64) {
    _ = unsafe word(place).pointee.compareExchange(
      expected: 0, desired: value, ordering: .sequentiallyConsistent)
  }

  private func word(_ place: Int) -> UnsafeMutablePointer<Word> {
    precondition((0..<Self.count).contains(place), "a page has \(Self.count) numbers")
    return unsafe words + place
  }

  /// Of linux/magic.h: NFS, SMB, CIFS, SMB2, 9P, FUSE, AFS, Ceph, Coda, NCP, OCFS2 and GFS2.
  private static let remoteKinds: Set<UInt32> = [
    0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x6573_5546, 0x5346_414F, 0x00C3_6400, 0x7375_7245, 0x564C,
    0x7461_636F, 0x0116_1970,
  ]

  private static func isRemote(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
    let kind = cpage_file_system(file.number)
    guard kind >= 0 else { throw SystemError() }
    return remoteKinds.contains(UInt32(truncatingIfNeeded: kind))
  }
}
