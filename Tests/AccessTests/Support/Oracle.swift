import Foundation
import TestSupport

/// A program in Python with libraries of its own, in `tools/oracles`. `tools/test` installs the libraries.
enum Oracle {
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  struct Missing: Error, CustomStringConvertible {
    let description = "the oracles are not installed: run tools/test, which makes .build/oracles"
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardized

  /// Runs a script and returns what it printed.
  ///
  /// - Throws: `Refusal` when it did not end with 0.
  static func run(_ script: String, _ input: String) throws -> String {
    let python = root.appending(path: ".build/oracles/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: python) else { throw Missing() }
    let scratch = try Scratch()
    let file = try FileHandle(forReadingFrom: URL(filePath: scratch.write("input", input)))
    let descriptor = fcntl(file.fileDescriptor, F_DUPFD_CLOEXEC, 10)
    defer { close(descriptor) }
    let run = try ProgramRun(
      python, [root.appending(path: "tools/oracles/\(script)").path], descriptors: [0: descriptor])
    guard try run.finish() == .exited(0) else { throw Refusal(description: run.output + run.errors) }
    return run.output
  }
}
