import Foundation
import Glibc
import POSIX
import Testing

@Suite("The status of files")
struct FileStatusTests {
  private let folder = NSTemporaryDirectory() + UUID().uuidString
  private var path: String { folder + "/file" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try WholeFile(path).write([1, 2, 3], mode: 0o640)
  }

  private func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }

  @Test func `a status tells kind, permissions and owner`() throws {
    defer { removeFolder() }
    let status = try FileStatus(of: path)
    #expect(status.kind == .regular && status.permissions == 0o640 && status.owner == geteuid())
    #expect(try FileStatus(of: folder).kind == .directory)
    #expect(try FileStatus(of: "/dev/null").kind == .other)
    #expect(mkfifo(folder + "/pipe", 0o600) == 0)
    #expect(try FileStatus(of: folder + "/pipe").kind == .pipe)
  }

  @Test func `two names of one file have one identity, and a replaced file has another`() throws {
    defer { removeFolder() }
    let former = try FileStatus(of: path)
    #expect(link(path, folder + "/other") == 0)
    #expect(try FileStatus(of: folder + "/other").identity == former.identity)
    #expect(try Descriptor(opening: path, O_RDONLY).status().identity == former.identity)
    try WholeFile(path).write([1, 2, 3], mode: 0o640)
    let status = try FileStatus(of: path)
    #expect(status.identity != former.identity && status.mark != former.mark)
  }

  @Test func `a symbolic link is followed, or is a file itself`() throws {
    defer { removeFolder() }
    #expect(symlink(path, folder + "/link") == 0)
    #expect(try FileStatus(of: folder + "/link").kind == .regular)
    #expect(try FileStatus(of: folder + "/link", followsLinks: false).kind == .other)
  }

  @Test func `a file that is missing is an error`() {
    defer { removeFolder() }
    #expect(throws: SystemError(ENOENT)) { try FileStatus(of: folder + "/none") }
  }
}
