import Foundation
import TestSupport
import Testing
import POSIX

extension ExampleTests {
  @Test func `the article of POSIX writes a file and reads it`() throws {
    let scratch = try Scratch()
    let path = scratch.path("response")

    let output = OutputFile(path: path)
    try output.check()
    try output.write("90 00".utf8)
    print(try InputFile.text(path).count)

    #expect(try String(contentsOfFile: path, encoding: .utf8) == "90 00")
  }
}
