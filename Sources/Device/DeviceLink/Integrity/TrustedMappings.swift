internal import Synchronization

/// A file with code in the memory of a process.
struct MappedFile: Hashable, Sendable {
  /// What the kernel writes behind the path of a file that was removed or replaced (proc_pid_maps(5)).
  private static let mark = " (deleted)"

  let path: String
  /// Device and inode, as the kernel prints them.
  let identity: String
  /// Whether the path names another file now, or none.
  let isReplaced: Bool

  init(path: String, identity: String) {
    let former = Self.withoutMark(path)
    (self.path, self.identity, isReplaced) = (former ?? path, identity, former != nil)
  }

  /// The path of a file that was removed or replaced; nil when it was not.
  static func withoutMark(_ path: String) -> String? {
    path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : nil
  }
}

/// A line of `/proc/PID/maps` with executable memory.
struct ExecutableMapping {
  /// The name of the kernel, or the words for memory without one.
  let name: String
  let isWritable: Bool
  /// Nil for memory without a file.
  let file: MappedFile?

  /// Reads a line; nil when its memory is not executable.
  init?(_ line: Substring.UTF8View) {
    // Bytes: a scan reads hundreds of lines, and the boundaries of characters would take most of its time.
    let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5, omittingEmptySubsequences: true)
    guard fields.count >= 5, fields[1].contains(UInt8(ascii: "x")) else { return nil }
    let name = fields.count == 6 ? String(Substring(fields[5].trimmingPrefix { $0 == UInt8(ascii: " ") })) : ""
    self.name = name.isEmpty ? "memory without a file" : name
    isWritable = fields[1].contains(UInt8(ascii: "w"))
    let identity = "\(Substring(fields[3])) \(Substring(fields[4]))"
    file = name.hasPrefix("/") ? MappedFile(path: name, identity: identity) : nil
  }

  /// Whether the kernel brings the code.
  var isOfKernel: Bool { name == "[vdso]" || name == "[vsyscall]" }
}

/// The files with code that the last scan of a process trusted.
final class TrustedMappings: Sendable {
  /// Those of this process, which all its checks share.
  static let ofThisProcess = TrustedMappings()

  private let files = Mutex<Set<MappedFile>>([])

  /// Whether the file of a mapping was trusted, under the path that it has or had.
  func contains(_ file: MappedFile) -> Bool {
    files.withLock { files in files.contains { $0.path == file.path && $0.identity == file.identity } }
  }

  /// Records the trusted files of a scan.
  func replace(with present: Set<MappedFile>) { files.withLock { $0 = present } }

  /// The paths of the trusted files that were replaced, sorted.
  var replaced: [String] { files.withLock { $0.filter(\.isReplaced).map(\.path).sorted() } }
}
