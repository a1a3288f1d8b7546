import Foundation
import Testing

@testable import POSIX

@Suite("Whole, durable files")
struct WholeFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "whole-file-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private var path: String { folder.appending(path: "file").path }
  private let former = Array("former".utf8)
  private let new = Array("new".utf8)

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  private func removeFolder() { try? FileManager.default.removeItem(at: folder) }

  @Test(arguments: [nil, "former"] as [String?])
  func `a written file has its content, mode 600 and no draft beside it`(content: String?) throws {
    defer { removeFolder() }
    if let content { try content.write(toFile: path, atomically: false, encoding: .utf8) }
    try WholeFile(path).write(new)
    let read = try WholeFile(path).read(atMost: 100)
    #expect(read.bytes == new)
    #expect(read.permissions == 0o600)
    #expect(try names() == ["file"])
  }

  @Test func `a file that is replaced keeps its mode where the caller names none`() throws {
    defer { removeFolder() }
    try WholeFile(path).write(former, mode: 0o640)
    #expect(chmod(path, 0o751) == 0)
    try WholeFile(path).write(new, mode: nil)
    #expect(try WholeFile(path).read(atMost: 100).permissions == 0o751)
  }

  @Test func `a file that must not be replaced is an error and stays`() throws {
    defer { removeFolder() }
    try WholeFile(path).write(former, isReplacing: false)
    #expect(throws: SystemError(EEXIST)) { try WholeFile(path).write(new, isReplacing: false) }
    #expect(try WholeFile(path).read(atMost: 100).bytes == former)
    #expect(try names() == ["file"])
  }

  /// A step of a write whose call fails, and what the file has then.
  enum Step: String, CaseIterable { case flush, rename, flushFolder }

  /// The calls of a write in which one step does something else.
  private static func calls(_ step: Step, _ instead: @escaping @Sendable () -> Int32) -> WholeFile.Calls {
    var calls = WholeFile.Calls()
    switch step {
    case .flush: calls.flush = { isFolder($0) ? fsync($0) : instead() }
    case .flushFolder: calls.flush = { isFolder($0) ? instead() : fsync($0) }
    case .rename: calls.rename = { _, _ in instead() }
    }
    return calls
  }

  private static func isFolder(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  @Test(arguments: Step.allCases)
  func `a failed step is an error and leaves a whole file and no draft`(step: Step) throws {
    defer { removeFolder() }
    try WholeFile(path).write(former)
    let calls = Self.calls(step) {
      errno = EIO
      return -1
    }
    #expect(throws: SystemError(EIO)) { try WholeFile(path, calls).write(new) }
    #expect(try WholeFile(path).read(atMost: 100).bytes == (step == .flushFolder ? new : former))
    #expect(try names() == ["file"])
  }

  @Test(arguments: Step.allCases)
  func `a crash at a step leaves the former or the new file, and the next write works`(step: Step) async throws {
    defer { removeFolder() }
    try WholeFile(path).write(former)
    await #expect(processExitsWith: .exitCode(9)) {
      [path = path as String, name = step.rawValue as String, bytes = new as [UInt8]] in
      let step = try #require(Step(rawValue: name))
      try WholeFile(path, Self.calls(step) { _exit(9) }).write(bytes)
    }
    #expect(try WholeFile(path).read(atMost: 100).bytes == (step == .flushFolder ? new : former))
    try WholeFile(path).write(new)
    #expect(try WholeFile(path).read(atMost: 100).bytes == new)
    #expect(try names() == ["file"])
  }

  @Test func `a folder without the call of a flush is no error`() throws {
    defer { removeFolder() }
    let calls = Self.calls(.flushFolder) {
      errno = EINVAL
      return -1
    }
    try WholeFile(path, calls).write(new)
    #expect(try WholeFile(path).read(atMost: 100).bytes == new)
  }

  @Test func `a folder that is gone is an error`() {
    removeFolder()
    #expect(throws: SystemError(ENOENT)) { try WholeFile(path).write(new) }
    #expect(throws: SystemError(ENOENT)) { try WholeFile(path).read(atMost: 100) }
  }

  @Test func `a read-only disk is an error`() {
    #expect(throws: SystemError.self) { try WholeFile("/proc/version").write(new) }
    #expect(throws: SystemError.self) { try WholeFile("/sys/kernel/contactless").write(new) }
  }

  @Test func `a read stops one byte after its limit`() throws {
    defer { removeFolder() }
    try WholeFile(path).write([UInt8](repeating: 7, count: 200_000))
    #expect(try WholeFile(path).read(atMost: 100).bytes.count == 101)
    #expect(try WholeFile(path).read(atMost: 200_000).bytes.count == 200_000)
    #expect(try WholeFile(path).read(atMost: 70_000).bytes.count == 70_001)
  }

  @Test func `a pipe is not read as a regular file`() throws {
    defer { removeFolder() }
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try WholeFile(path).readRegular(atMost: 100) == nil)
  }

  @Test func `a removed file is gone, and a second removal does nothing`() throws {
    defer { removeFolder() }
    try WholeFile(path).write(new)
    try WholeFile(path).remove()
    try WholeFile(path).remove()
    #expect(try names() == [])
  }
}
