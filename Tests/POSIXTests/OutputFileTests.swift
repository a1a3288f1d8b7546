import Foundation
import TestSupport
import Testing
import POSIX

@Suite("Output files")
struct OutputFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted()
  }

  @Test func `a new file has the bytes and nothing beside it`() throws {
    let file = OutputFile(path: scratch.path("new"))
    try file.check()
    #expect(try names() == [])
    try file.write("text".utf8)
    #expect(try content(file.path) == "text")
    #expect(try names() == ["new"])
  }

  @Test func `a file that exists is refused, and stays as it is`() throws {
    let path = try scratch.write("kept", "mine")
    let file = OutputFile(path: path)
    let expected = FileError(description: "\(path) exists: --force writes over it", code: .exists)
    #expect(throws: expected) { try file.check() }
    #expect(throws: expected) { try file.write("text".utf8) }
    #expect(try content(path) == "mine")
    #expect(try names() == ["kept"])
  }

  @Test func `a file is replaced on demand, and keeps its permissions`() throws {
    let path = try scratch.write("kept", "mine")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let file = OutputFile(path: path, isReplaced: true)
    try file.check()
    try file.write("text".utf8)
    #expect(try content(path) == "text")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(try names() == ["kept"])
  }

  @Test func `a link leads to the file that is written, whether that exists or not`() throws {
    for name in ["target", "later"] {
      let link = scratch.path("link to \(name)")
      if name == "target" { _ = try scratch.write(name, "mine") }
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
      try OutputFile(path: link, isReplaced: true).write("text".utf8)
      #expect(try content(scratch.path(name)) == "text")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == name)
    }
  }

  @Test func `places that cannot be written are named with the reason before anything is written`() throws {
    let rows = [
      (path: "", reason: "a file without a name cannot be written: name a file", code: FileError.Code.other),
      (
        path: scratch.directory.path, reason: "\(scratch.directory.path) cannot be written: it is a directory",
        code: .other
      ),
      (
        path: scratch.path("missing/new"),
        reason: "\(scratch.path("missing/new")) cannot be written: there is no directory \(scratch.path("missing"))",
        code: .notFound
      ),
    ]
    for (path, reason, code) in rows {
      #expect(throws: FileError(description: reason, code: code)) { try OutputFile(path: path).check() }
    }
    #expect(try names() == [])
  }

  @Test func `a device is written to directly, without force`() throws {
    let file = OutputFile(path: "/dev/null")
    try file.check()
    try file.write("text".utf8)
  }

  @Test func `a full disk leaves no new file, and the former one as it was`() throws {
    let disk = try MountedDisk(kilobytes: 64)
    let former = disk.path + "/former"
    try "mine".write(toFile: former, atomically: false, encoding: .utf8)
    _ = try disk.fill()
    for path in [disk.path + "/new", former] {
      #expect(throws: FileError(description: "\(path) cannot be written: No space left on device", code: .noSpace)) {
        try OutputFile(path: path, isReplaced: true).write([UInt8](repeating: 1, count: 100_000))
      }
    }
    #expect(try content(former) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted() == ["filler", "former"])
  }
}
