import Foundation
import POSIX
import Testing

@Suite("Pages that processes share, and locks on bytes")
struct SharedPageTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)").path

  @Test func `two mappings of a file show the same numbers, and a new file has zeros`() throws {
    defer { unlink(path) }
    let (first, second) = (try SharedPage(mapping: path), try SharedPage(mapping: path))
    #expect((0..<SharedPage.count).allSatisfy { first.load($0) == 0 })
    #expect(first.raise(3) == 0)
    #expect(second.raise(3) == 1)
    second.store(.max, at: SharedPage.count - 1)
    first.initialize(3, to: 9)
    first.initialize(4, to: 9)
    #expect([3, 4, SharedPage.count - 1].map(first.load) == [2, 9, .max])
    #expect(try FileStatus(of: path).permissions == 0o600)
  }

  @Test func `a page is empty once its file was truncated, and no process ends`() throws {
    defer { unlink(path) }
    let page = try SharedPage(mapping: path)
    page.store(7, at: 0)
    try #require(truncate(path, 0) == 0)
    #expect(page.load(0) == 0)
    page.store(5, at: 1)
    #expect(page.load(1) == 5)
    // Another page of the process is not affected.
    let next = try SharedPage(mapping: path)
    #expect(next.load(1) == 0)
  }

  @Test func `a page knows whether its file has its place`() throws {
    defer { unlink(path) }
    let page = try SharedPage(mapping: path)
    #expect(page.isMapped(from: path))
    unlink(path)
    #expect(!page.isMapped(from: path))
    _ = try SharedPage(mapping: path)
    #expect(!page.isMapped(from: path))
    #expect(!SharedPage().isMapped(from: path))
  }

  @Test func `a page that is a link, a folder or in a missing folder is not mapped`() throws {
    defer { unlink(path) }
    try #require(symlink("/dev/null", path) == 0)
    #expect(throws: SystemError(ELOOP)) { try SharedPage(mapping: path) }
    #expect(throws: SystemError(EISDIR)) { try SharedPage(mapping: "/tmp") }
    #expect(throws: SystemError(ENOENT)) { try SharedPage(mapping: "/tmp/missing-\(UUID().uuidString)/page") }
  }

  @Test func `a byte has one lock among all openings of a file, until the opening ends`() throws {
    defer { unlink(path) }
    let first = try ByteLocks(of: path)
    let isTaken = try first.lock(5)
    #expect(isTaken)
    try Self.checkExclusion(path)
    _ = consume first
    let last = try ByteLocks(of: path)
    let (wasLocked, isFree) = (last.isLocked(5), try last.lock(5))
    #expect(!wasLocked && isFree)
  }

  private static func checkExclusion(_ path: String) throws {
    let second = try ByteLocks(of: path)
    let (isLocked, isTaken) = (second.isLocked(5), try second.lock(5))
    #expect(isLocked && !isTaken)
    let (isNextLocked, isNextTaken) = (second.isLocked(6), try second.lock(6))
    #expect(!isNextLocked && isNextTaken)
  }
}
