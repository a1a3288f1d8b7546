import Fixtures
import Foundation
import TestSupport
import Testing

/// The folder of `--record`: what `--force` removes, masked recordings, and a file system without locks.
extension RecordedTestTests {
  /// Writes the profile of a card that is no shipped test card, and returns the path.
  func strangerCard() throws -> String {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
      .replacing("4761739001010010", with: DisclosureTests.number)
    return try scratch.write("stranger.json", profile)
  }

  static let selection = "steps: [{send: SELECT PPSE, expect: {status: \"9000\"}}]"

  /// The names of the files in a folder and in its folders, in order.
  private func names(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
  }

  @Test(arguments: [true, false])
  func `--force removes the recordings of tests in the folder, and no other file`(isOfCard: Bool) throws {
    let folder = scratch.path("recordings")
    let files = try ["N-1", "N-2"].map { try isOfCard ? cardScenario($0, Self.selection) : terminalScenario($0) }
    let place = [isOfCard ? "--reader" : "--link", "loopback", "--record", folder]
    #expect(try test(files + place).code == 0)
    try FileManager.default.createDirectory(atPath: "\(folder)/kept", withIntermediateDirectories: false)
    let recording = "\(folder)/01-n-1-n-1-0001.txt"
    try FileManager.default.copyItem(atPath: recording, toPath: "\(folder)/kept/n-1.txt")
    let damaged = try String(contentsOfFile: recording, encoding: .utf8) + "no bytes\n"
    for (name, text) in [
      ("other.txt", "00A4040000\n9000\n"), ("some.txt", "no recording"), ("notes.md", "#@ test: N-1"),
      ("kept/other.txt", "00A4040000\n9000\n"), ("kept/notes.txt", "#@ test: N-1"), ("damaged.txt", damaged),
    ] {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    let elsewhere = try scratch.write("elsewhere.txt", String(contentsOfFile: recording, encoding: .utf8))
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/link.txt", withDestinationPath: elsewhere)
    let run = try test([files[1]] + place + ["--force"])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let others = ["kept", "kept/notes.txt", "kept/other.txt", "link.txt", "notes.md", "other.txt", "some.txt"]
    #expect(try names(in: folder) == ["01-n-2-n-2-0001.txt"] + others)
    #expect(FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test func `--force leaves the recordings in the folder that are judged again`() throws {
    let folder = scratch.path("recordings")
    let files = try ["O-1", "O-2"].map { try cardScenario($0, Self.selection) }
    #expect(try test(files + ["--reader", "loopback", "--record", folder]).code == 0)
    let before = try names(in: folder)
    let run = try test([files[0], "--reader", "replay:\(folder)", "--record", folder, "--force"])
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    #expect(try names(in: folder) == before)
  }

  @Test func `a recording with masked data of the card is not judged, and names the remedy`() throws {
    let folder = scratch.path("recordings")
    let masked = try cardScenario(
      "M-1",
      "steps: [{send: SELECT PPSE}, {send: SELECT AID}, {send: GPO}, {send: READ RECORDS}]\n"
        + "expect: {tags: {57: \"\(DisclosureTests.number)D30122011143878089\"}}")
    let plain = try cardScenario("M-2", Self.selection)
    let made = try test([masked, plain, "--reader", "loopback:\(strangerCard())", "--record", folder])
    #expect(made.code == 0, "\(made.output)\(made.errors)")
    let judged = try test([masked, plain, "--reader", "replay:\(folder)"])
    #expect(judged.code == 2 && judged.output.contains("ok   M-2"), "\(judged.output)\(judged.errors)")
    let single = try test([masked, "--reader", "replay:\(folder)/01-m-1-m-1-0001.txt"])
    #expect(single.code == 2)
    for run in [judged, single] {
      #expect(run.output.contains("NOT JUDGED M-1"), "\(run.output)\(run.errors)")
      #expect(run.output.contains("masked data of the card: judge the card itself"), "\(run.output)")
    }
  }

  @Test func `a place without recordings is one error, and not one of each tap`() throws {
    let missing = scratch.path("missing")
    let files = try ["G-1", "G-2"].map { try cardScenario($0, Self.selection) }
    let run = try test(files + ["--reader", "replay:\(missing)"])
    #expect(run.code == 1 && run.output.isEmpty, "\(run.output)")
    #expect(run.errors == "error: \(missing) cannot be read: No such file or directory\n", "\(run.errors)")
  }

  @Test func `a folder that cannot be locked takes recordings, and a note names the reason`() throws {
    let folder = scratch.path("recordings")
    let source = try scratch.write(
      "unlocked.c",
      """
      #include <errno.h>
      int flock(int file, int operation) {
        errno = ENOLCK;
        return -1;
      }

      """)
    let compiling = try ProgramRun("cc", ["-shared", "-fPIC", "-o", scratch.path("unlocked.so"), source])
    #expect(try compiling.finish() == .exited(0), "\(compiling.errors)")
    let file = try cardScenario("U-1", Self.selection)
    let run = try TapProgram.finish(
      TapProgram.start(
        ["test", file, "--reader", "loopback", "--record", folder],
        environment: ["LD_PRELOAD": scratch.path("unlocked.so")]))
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    let reason = "\(folder) cannot be locked (No locks available): do not run a second tap test with it"
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(try names(in: folder) == ["01-u-1-u-1-0001.txt"])
  }
}
