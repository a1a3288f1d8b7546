import Foundation
import TestSupport
import Testing

/// The scripts of the folder `tools`, as a person tries them.
@Suite("Usage of the tools", .blocks, .timeLimit(.minutes(5)))
struct ToolUsageTests {
  private static let folder = ExampleTests.root.appending(path: "tools").path

  /// The files of the folder that can be executed.
  static let scripts = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { name in
    var isFolder: ObjCBool = false
    let path = "\(folder)/\(name)"
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }.sorted()

  @Test func `the folder has scripts`() { #expect(Self.scripts.count > 14) }

  @Test(arguments: scripts)
  func `every script has a usage`(_ name: String) throws {
    let run = try ProgramRun("\(Self.folder)/\(name)", ["--help"])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    #expect(run.output.contains("tools/\(name)") || run.output.contains("tools/demo --wallet"), "\(run.output)")
    #expect(run.output.contains("usage: "))
  }

  @Test(arguments: scripts)
  func `every script refuses an unknown option before it does anything`(_ name: String) throws {
    let run = try ProgramRun("\(Self.folder)/\(name)", ["--bogus"])
    #expect(try run.finish() == .exited(64), "\(run.errors)")
    #expect(run.output.isEmpty)
    // A script in Python names what it needs first.
    let isNamed = ["--bogus", "usage: ", "required"].contains { run.errors.contains($0) }
    #expect(isNamed, "\(run.errors)")
  }
}
