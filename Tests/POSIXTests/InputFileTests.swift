import Foundation
import TestSupport
import Testing
import POSIX

@Suite("Input files")
struct InputFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `a file of text loses its byte order mark, and only that`() throws {
    let path = scratch.path("text")
    try Data([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x41]).write(to: URL(filePath: path))
    #expect(try InputFile.text(path) == [0xEF, 0xBB, 0xBF, 0x41])
    #expect(try InputFile.read(path).count == 7)
  }

  @Test func `a file that is missing or a directory is named with the system's reason`() throws {
    let missing = scratch.path("missing")
    #expect(throws: FileError(description: "\(missing) cannot be read: No such file or directory", code: .notFound)) {
      try InputFile.read(missing)
    }
    let directory = scratch.directory.path
    #expect(throws: FileError(description: "\(directory) cannot be read: Is a directory")) {
      try InputFile.read(directory)
    }
  }

  @Test func `a file at the limit is read, and one byte more is refused`() throws {
    let path = try scratch.write("large", "")
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.truncate(atOffset: UInt64(InputFile.maximumCount))
    #expect(try InputFile.read(path).count == InputFile.maximumCount)
    try file.truncate(atOffset: UInt64(InputFile.maximumCount + 1))
    #expect(throws: FileError(description: "\(path) has too many bytes: the limit is 67108864")) {
      try InputFile.read(path)
    }
  }

  @Test func `a device without an end is refused at the limit`() throws {
    #expect(throws: FileError(description: "/dev/zero has too many bytes: the limit is 67108864")) {
      try InputFile.read("/dev/zero")
    }
  }
}
