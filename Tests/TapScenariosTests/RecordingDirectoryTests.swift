import Fixtures
import Foundation
import TapScenarios
import TestSupport
import Testing
import Transcripts
import POSIX

@Suite("Directories of recordings")
struct RecordingDirectoryTests {
  let scratch: Scratch
  let file: ScenarioFile

  init() throws {
    scratch = try Scratch()
    file = try ScenarioFile(
      Fixtures.url("Scenarios/visa-low-value.yaml").path,
      terminal: [UInt8](Fixtures.data("Terminals/attended-eur.json")))
  }

  private func transcript(_ command: String) throws -> Transcript {
    try Transcript(parsing: "# ATR: 3B80800101\n# PROTOCOL: T=CL\n\(command)\n9000\n")
  }

  @Test func `recordings of a scenario are found again, in the order of the taps`() throws {
    let path = scratch.path("recordings")
    let directory = try RecordingDirectory(path, isReplaced: false, [(file: file, count: 2)])
    for number in 1...2 { _ = try directory.write(try transcript("00B2010C00"), of: file, 0, number) }
    let names = ["01-visa-low-value-0001.txt", "01-visa-low-value-0002.txt"]
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
    #expect(try RecordingDirectory.recordings(at: path, of: file) == names.map { path + "/" + $0 })
  }

  @Test func `a recording that exists is refused before the first tap, unless it is replaced`() throws {
    let path = scratch.path("recordings")
    let first = try RecordingDirectory(path, isReplaced: false, [(file: file, count: 2)])
    let place = try first.write(try transcript("00B2010C00"), of: file, 0, 2)
    let refusal = FileError(
      description: "\(path) has a 01-visa-low-value-0002.txt already: --force writes over it, and removes the other "
        + "recordings of tests", code: .exists)
    #expect(throws: refusal) { try RecordingDirectory(path, isReplaced: false, [(file: file, count: 2)]) }
    _ = try RecordingDirectory(path, isReplaced: false, [(file: file, count: 1)])
    let again = try RecordingDirectory(path, isReplaced: true, [(file: file, count: 2)])
    _ = try again.write(try transcript("00B2020C00"), of: file, 0, 2)
    #expect(try String(contentsOfFile: place, encoding: .utf8).contains("00B2020C00"))
  }

  @Test func `a directory with recordings of other scenarios only has none, one with other names is taken whole`()
    throws
  {
    _ = try scratch.write("01-another-0001.txt", "")
    let path = scratch.directory.path
    #expect(try RecordingDirectory.recordings(at: path, of: file) == [])
    try FileManager.default.removeItem(atPath: scratch.path("01-another-0001.txt"))
    let other = try scratch.write("tap.txt", "")
    #expect(try RecordingDirectory.recordings(at: path, of: file) == [other])
    #expect(try RecordingDirectory.recordings(at: other, of: file) == nil)
  }

  @Test func `the files of a directory are those of its folders too, without hidden ones, in order`() throws {
    try FileManager.default.createDirectory(atPath: scratch.path("b"), withIntermediateDirectories: false)
    for name in ["c.txt", "b/a.txt", "a.txt", ".hidden.txt", "notes.md"] { _ = try scratch.write(name, "") }
    let found = try RecordingTree.files([scratch.directory.path, "elsewhere"])
    #expect(found == ["a.txt", "b/a.txt", "c.txt"].map(scratch.path) + ["elsewhere"])
    let empty = try Scratch()
    #expect(throws: FileError.self) { try RecordingTree.files([empty.directory.path]) }
  }
}
