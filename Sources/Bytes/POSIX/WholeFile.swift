package import Glibc

/// A file that is read to its end, and written whole and durably.
package struct WholeFile: Sendable {
  /// The path.
  package let path: String
  private let draft: String
  let calls: Calls

  /// The calls of the system on which the guarantee of `write` depends.
  struct Calls: Sendable {
    var flush: @Sendable (Int32) -> Int32 = { fsync($0) }
    // The calls only read the paths.
    var rename: @Sendable (String, String) -> Int32 = { unsafe Glibc.rename($0, $1) }
  }

  /// Names a file.
  ///
  /// - Parameter draft: The path under which a new content is written before it replaces the file, in the same folder. By
  ///   default that of the file with the suffix `.draft`; files that processes write at the same time need several.
  package init(_ path: String, draft: String? = nil) { self.init(path, draft: draft, Calls()) }

  /// Names the file to which a path leads: a change replaces the file behind a symbolic link, and not the link.
  package init(following path: String) { self.init(Self.target(of: path)) }

  /// How many symbolic links the system follows (path_resolution(7)).
  private static let linkLimit = 40

  /// The path of the file to which a path leads, which need not exist.
  package static func target(of path: String) -> String {
    var path = path
    for _ in 0..<linkLimit {
      guard let link = linkContent(at: path) else { return path }
      let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
      path = link.hasPrefix("/") ? link : folder + link
    }
    return path
  }

  /// The content of a symbolic link; nil for another file.
  private static func linkContent(at path: String) -> String? {
    var content = [CChar](repeating: 0, count: Int(PATH_MAX))
    // The call fills at most the array.
    let count = unsafe readlink(path, &content, content.count)
    return count > 0 ? String(decoding: content.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  init(_ path: String, draft: String? = nil, _ calls: Calls) {
    self.path = path
    self.draft = draft ?? path + ".draft"
    self.calls = calls
  }

  /// Whether something has the file's name.
  package var exists: Bool { unsafe access(path, F_OK) == 0 }

  /// The content of a file.
  package struct Content: Equatable, Sendable {
    /// The bytes.
    package let bytes: [UInt8]
    package let permissions: mode_t

    /// Whether users other than the owner of the file can read or write it.
    package var isExposed: Bool { permissions & 0o077 != 0 }
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - limit: The largest size in bytes. Of a larger file one byte more is read.
  ///   - flags: Further flags of open(2).
  package func read(atMost limit: Int, _ flags: Int32 = 0) throws(SystemError) -> Content {
    let file = try Descriptor(opening: path, O_RDONLY | flags)
    return Content(bytes: try file.read(atMost: limit), permissions: try file.status().permissions)
  }

  /// Reads the file if it is a regular one. Never waits for a writer, as the opening of a pipe does.
  ///
  /// - Returns: nil when it is another kind of file.
  package func readRegular(atMost limit: Int) throws(SystemError) -> Content? {
    let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    let status = try file.status()
    guard status.kind == .regular else { return nil }
    return Content(bytes: try file.read(atMost: limit), permissions: status.permissions)
  }

  /// Writes the file whole and durably. Blocks.
  ///
  /// When this returns, the new content is on the disk under the name of the file. After an error or a crash the file has
  /// its former content or the new one, and never a part. An error leaves no draft; the next call replaces the draft that
  /// a crash has left.
  ///
  /// - Parameters:
  ///   - mode: The permissions; nil for those of the file that is replaced, or of a new file.
  ///   - isReplacing: Whether a file that exists is replaced.
  /// - Throws: The first call that failed, also a flush. `EEXIST` when the file exists and is not to be replaced.
  package func write(
    _ bytes: [UInt8], mode: mode_t? = 0o600, isReplacing: Bool = true
  ) throws(SystemError) {
    // The system copies the paths.
    _ = unsafe unlink(draft)
    let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode ?? 0o666)
    do throws(SystemError) {
      if isReplacing, mode == nil { try copyMode(to: file) }
      try file.write(bytes)
      guard calls.flush(file.number) == 0 else { throw SystemError() }
      try isReplacing ? replace() : publish()
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
    try flushFolder()
  }

  /// Creates the file whole and durably from a draft that a function fills, never over a file that exists. Blocks.
  ///
  /// - Parameters:
  ///   - mode: The permissions of the draft, which is empty at first.
  ///   - fill: Fills the draft at its path. It must close what it opens.
  /// - Throws: What the function throws, or a `SystemError`: `EEXIST` when the file exists. No draft is left then.
  package func create<Value>(mode: mode_t = 0o600, _ fill: (_ draft: String) throws -> Value) throws -> Value {
    // The system copies the paths.
    _ = unsafe unlink(draft)
    let file = try Descriptor(opening: draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do {
      let value = try fill(draft)
      guard calls.flush(file.number) == 0 else { throw SystemError() }
      try publish()
      try flushFolder()
      return value
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
  }

  /// Removes the file durably. Does nothing when it does not exist.
  package func remove() throws(SystemError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw SystemError() }
    try flushFolder()
  }

  private func copyMode(to file: borrowing Descriptor) throws(SystemError) {
    guard let status = try? FileStatus(of: path) else { return }
    guard fchmod(file.number, status.permissions) == 0 else { throw SystemError() }
  }

  private func replace() throws(SystemError) {
    guard calls.rename(draft, path) == 0 else { throw SystemError() }
  }

  /// Gives the draft a name that is free. Another process may have created the file meanwhile.
  private func publish() throws(SystemError) {
    if unsafe link(draft, path) == 0 {
      _ = unsafe unlink(draft)
      return
    }
    let error = SystemError()
    // Not every file system has hard links.
    guard error.number != EEXIST, !exists else { throw SystemError(EEXIST) }
    try replace()
  }

  /// Makes the names in the file's folder durable.
  private func flushFolder() throws(SystemError) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
    // EINVAL: a file system without this call has no durable names at all.
    guard calls.flush(descriptor.number) == 0 || errno == EINVAL else { throw SystemError() }
  }
}
