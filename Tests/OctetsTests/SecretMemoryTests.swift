import Glibc
import Octets
import Synchronization
import Testing

/// The memory of this process, as `/proc/self` shows it.
private struct ProcessMemory: ~Copyable {
  /// The random bytes that are searched for, in pages of their own that the search leaves out.
  let needle: UnsafeMutableRawPointer
  private let window: UnsafeMutableRawPointer
  private static let pageSize = 4096
  private static let windowSize = 1 << 20
  static let count = 32

  init() {
    let pages = { (size: Int) -> UnsafeMutableRawPointer in
      guard let pages = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) else {
        preconditionFailure("the system has no memory")
      }
      return pages
    }
    needle = pages(Self.pageSize)
    window = pages(Self.windowSize)
    // Not by way of an array, of which a copy could stay in memory.
    let source = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
    precondition(read(source, needle, Self.count) == Self.count)
    close(source)
    // The search goes by the first octet: most of the memory is zero.
    needle.storeBytes(of: needle.load(as: UInt8.self) | 0x80, as: UInt8.self)
  }

  deinit {
    munmap(needle, Self.pageSize)
    munmap(window, Self.windowSize)
  }

  /// The number of places in the writable memory of this process that hold the needle.
  borrowing func occurrences() -> Int {
    let descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    return Self.writableRanges().reduce(0) { $0 + occurrences(in: $1, descriptor) }
  }

  private borrowing func occurrences(in range: Range<UInt>, _ descriptor: Int32) -> Int {
    let own = [
      UInt(bitPattern: needle)..<UInt(bitPattern: needle) + UInt(Self.pageSize),
      UInt(bitPattern: window)..<UInt(bitPattern: window) + UInt(Self.windowSize),
    ]
    var (found, address) = (0, range.lowerBound)
    while address < range.upperBound {
      let size = min(Int(range.upperBound - address), Self.windowSize)
      let count = pread(descriptor, window, size, off_t(address))
      guard count >= Self.count else { return found }
      var offset = 0
      while let next = offset + Self.count <= count ? offsetOfNeedle(from: offset, below: count) : nil {
        let place = address + UInt(next)
        if !own.contains(where: { $0.contains(place) }) { found += 1 }
        offset = next + 1
      }
      // The windows overlap by one byte less than the needle.
      address += UInt(count == size && size == Self.windowSize ? count - Self.count + 1 : count)
    }
    return found
  }

  private borrowing func offsetOfNeedle(from start: Int, below end: Int) -> Int? {
    var start = start
    let first = Int32(needle.load(as: UInt8.self))
    while let hit = memchr(window + start, first, end - start) {
      start = hit - window
      guard start + Self.count <= end else { return nil }
      if memcmp(hit, needle, Self.count) == 0 { return start }
      start += 1
    }
    return nil
  }

  private static func writableRanges() -> [Range<UInt>] {
    lines(of: "/proc/self/maps").filter { $0.split(separator: " ").dropFirst().first?.hasPrefix("rw") == true }
      .compactMap(range)
  }

  private static func range(_ line: Substring) -> Range<UInt>? {
    let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
    return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
  }

  /// The lines of `/proc/self/smaps` about the mapping that holds an address.
  static func mapping(of address: UInt) -> [Substring] {
    let all = lines(of: "/proc/self/smaps")
    guard let start = all.firstIndex(where: { range($0)?.contains(address) == true }) else { return [] }
    return Array(all[(start + 1)...].prefix { range($0) == nil })
  }

  private static func lines(of path: String) -> [Substring] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    precondition(descriptor >= 0)
    defer { close(descriptor) }
    var octets: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &part, part.count), count > 0 { octets += part[..<count] }
    return String(decoding: octets, as: UTF8.self).split(separator: "\n")
  }
}

@Suite("The memory of secrets")
struct SecretMemoryTests {
  private static func secret(holding memory: borrowing ProcessMemory, count: Int) -> Secret {
    let secret = Secret(count: count) { _ in }
    secret.withExposedStorage { block in _ = memcpy(block, memory.needle, ProcessMemory.count) }
    return secret
  }

  @Test(arguments: [32, 100, 1024, 1025, 5000])
  func `the memory of a secret is locked, left out of core dumps, and not given to a forked child`(_ count: Int) {
    let secret = Secret(count: count) { _ in }
    let mapping = ProcessMemory.mapping(of: secret.withExposedStorage { UInt(bitPattern: $0) })
    let flags = mapping.first { $0.hasPrefix("VmFlags:") }?.split(separator: " ").dropFirst() ?? []
    for flag in ["lo", "dd", "dc"] { #expect(flags.contains { $0 == flag }, "\(flag) in \(flags)") }
    let locked = mapping.first { $0.hasPrefix("Locked:") }?.split(separator: " ")[1]
    #expect(locked != "0")
  }

  @Test func `no copy of a secret is left in memory when it is destroyed, however it was made and passed on`() async {
    // A process of its own: other tests hold secrets and write memory at the same time.
    await #expect(processExitsWith: .success) {
      let memory = ProcessMemory()
      for count in [32, 1024, 5000] {
        do {
          let first = SecretMemoryTests.secret(holding: memory, count: count)
          precondition(memory.occurrences() == 1)
          let moved = first
          precondition(memory.occurrences() == 1)
          let copy = moved.duplicate()
          precondition(memory.occurrences() == 2)
          _ = consume moved
          precondition(memory.occurrences() == 1)
          _ = consume copy
        }
        precondition(memory.occurrences() == 0)
      }
      var array = [UInt8](repeating: 0, count: ProcessMemory.count)
      array.withUnsafeMutableBytes { _ = memcpy($0.baseAddress!, memory.needle, ProcessMemory.count) }
      precondition(memory.occurrences() == 1)
      let wiping = Secret(wiping: &array)
      precondition(memory.occurrences() == 1)
      _ = consume wiping
      precondition(memory.occurrences() == 0)
    }
  }

  @Test func `a limit of locked memory that is too small is reported once, on standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      SecretMemoryTests.forbidLocking()
      for count in [32, 100, 5000] { _ = Secret(count: count) { _ in } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains("cannot be locked") } == 1, "\(text)")
    #expect(text.contains("ulimit -l"))
  }

  @Test func `a receiver gets the report instead of standard error`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      Secret.onLockFailure { _ in SecretMemoryTests.reports.add(1, ordering: .relaxed) }
      SecretMemoryTests.forbidLocking()
      for count in [32, 5000] { _ = Secret(count: count) { _ in } }
      precondition(SecretMemoryTests.reports.load(ordering: .relaxed) == 1)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("cannot be locked"))
  }

  private static let reports = Atomic<Int>(0)

  /// Forbids this process to lock memory. The limit does not hold for root.
  private static func forbidLocking() {
    // RLIMIT_MEMLOCK, a macro that Swift does not import.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    precondition(setrlimit(__rlimit_resource_t(8), &none) == 0)
    if getuid() == 0 { precondition(setuid(65_534) == 0) }
  }
}
