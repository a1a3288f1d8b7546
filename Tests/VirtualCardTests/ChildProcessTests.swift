import Foundation
import Glibc
import TestSupport
import Testing

@testable import VirtualCard

struct ChildProcessTests {
  @Test func `a child gets the descriptors that are given to it and no other`() throws {
    let scratch = try Scratch()
    // Without FD_CLOEXEC, as a C library may open them.
    var pipe: [Int32] = [-1, -1]
    #expect(Glibc.pipe(&pipe) == 0)
    defer { for end in pipe { close(end) } }
    let number = pipe[1]
    let child = try ChildProcess(
      script: "ls -l /proc/$$/fd > \"$0\"", [scratch.path("list")], descriptors: [3: number], output: "/dev/null")
    child.end(with: nil, within: .seconds(3600)) {}
    let list = try String(contentsOfFile: scratch.path("list"), encoding: .utf8)
    let given = list.split(separator: "\n").compactMap { line in
      line.split(separator: " ").dropFirst(8).first.flatMap { Int($0) }
    }
    // The shell keeps its own above 9.
    #expect(given.filter { $0 < 10 }.sorted() == [0, 1, 2, 3])
    #expect(list.components(separatedBy: "pipe:").count == 2)
  }
}
