import Fixtures
import Foundation
import TestSupport
import Testing

/// Regular files, pipes, devices and links as input and output of commands.
@Suite("Files, pipes, devices and links", .blocks, .timeLimit(.minutes(20)))
struct FileTests {
  private static let scenario = "Scenarios/visa-low-value.yaml"
  private static let order = ["--amount", "1", "--currency", "EUR"]

  private func shell(_ script: String) throws -> TapProgram.Run {
    try TapProgram.finish(ProgramRun("bash", ["-c", script]))
  }

  @Test func `an unreadable file is reported with its path and the reason`() throws {
    let scratch = try Scratch()
    for (path, reason) in [
      (scratch.path("nothing"), "cannot be read: No such file or directory"),
      (scratch.directory.path, "cannot be read: Is a directory"),
      ("/dev/zero", "has too many bytes: the limit is 67108864"), ("/dev/null", "JSON"),
    ] {
      let run = try TapProgram.run(arguments: ["accept", "--reader", "loopback:\(path)"] + Self.order)
      #expect(run.code == (reason == "JSON" ? 2 : 1))
      #expect(run.errors.contains("\(path)") && run.errors.contains(reason), "\(run.errors)")
    }
  }

  @Test func `a card profile is read from a pipe, and after a byte order mark`() throws {
    let card = TapProgram.card("visa-cvn18")
    let order = Self.order.joined(separator: " ")
    let piped = try shell("\(TapProgram.path) accept --reader loopback:<(cat \(card)) \(order)")
    #expect(piped.code == 0, "\(piped.errors)")
    let scratch = try Scratch()
    let marked = try scratch.write("marked.json", "\u{FEFF}" + String(contentsOfFile: card, encoding: .utf8))
    let run = try TapProgram.run(arguments: ["accept", "--reader", "loopback:\(marked)"] + Self.order)
    #expect(run.code == 0, "\(run.errors)")
  }

  @Test func `results are written through a link into a file and into a pipe, and the link stays`() throws {
    let scratch = try Scratch()
    let old = try scratch.write("old", "old")
    try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: old)
    try FileManager.default.createSymbolicLink(atPath: scratch.path("out"), withDestinationPath: "/proc/self/fd/1")
    let test = "\(TapProgram.path) test \(Fixtures.url(Self.scenario).path) --reader loopback"
    #expect(try shell("\(test) -o \(scratch.path("link")) --force").code == 0)
    #expect(try String(contentsOfFile: old, encoding: .utf8).contains("1 passed"))
    let piped = try shell("\(test) -o \(scratch.path("out")) | cat")
    #expect(piped.output.contains("1 passed"), "\(piped.errors)")
    for name in ["link", "out"] {
      let kind = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.type] as? FileAttributeType
      #expect(kind == .typeSymbolicLink)
    }
  }

  @Test func `a link to a file is followed, and the file is replaced with --force only`() throws {
    let scratch = try Scratch()
    let old = try scratch.write("old", "old")
    let link = scratch.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: old)
    let arguments = ["convert", Fixtures.url("Transcripts/Tools/pcscd.log").path, "--to", "json", "-o", link]
    let refused = try TapProgram.run(arguments: arguments)
    #expect(refused.code == 1 && refused.errors.contains("exists: --force"), "\(refused.errors)")
    #expect(try String(contentsOfFile: old, encoding: .utf8) == "old")
    #expect(try TapProgram.run(arguments: arguments + ["--force"]).code == 0)
    #expect(try String(contentsOfFile: old, encoding: .utf8).hasPrefix("{"))
  }

  @Test(arguments: ["accept", "present", "test"])
  func `a path that cannot be written is reported before the tap`(_ command: String) throws {
    let scratch = try Scratch()
    let card = TapProgram.card("visa-cvn18")
    for (path, reason) in [
      (scratch.directory.path, "it is a directory"), ("/nowhere/x", "there is no directory /nowhere"),
      (card + "/x", "there is no directory \(card)"),
    ] {
      let arguments =
        switch command {
        case "accept": ["accept", "--reader", "loopback:\(card)", "--record", path] + Self.order
        case "present": ["present", "--link", "loopback", "--card", card, "--record", path]
        default: ["test", Fixtures.url(Self.scenario).path, "--reader", "loopback", "-o", path]
        }
      let run = try TapProgram.run(arguments: arguments)
      #expect(run.code == 1)
      #expect(run.errors.contains("\(path) cannot be written: \(reason)"), "\(run.errors)")
      #expect(run.output.isEmpty && !run.errors.contains("Verif"))
    }
  }

  @Test(arguments: ["accept", "present"])
  func `a recording is written although standard output is full`(_ command: String) throws {
    let scratch = try Scratch()
    let (card, record) = (TapProgram.card("visa-cvn18"), scratch.path("tap.txt"))
    let side =
      command == "accept"
      ? "accept --reader loopback:\(card) \(Self.order.joined(separator: " "))"
      : "present --link loopback --card \(card)"
    let run = try shell("\(TapProgram.path) \(side) --record \(record) > /dev/full")
    #expect(run.code == 1)
    #expect(run.errors.contains("standard output cannot be written: No space left on device"), "\(run.errors)")
    #expect(try TapProgram.run("replay", record).output.contains("reproduced, 5 exchanges"))
  }

  @Test(arguments: ["replay", "convert"])
  func `the shell completes file names where a command takes a file`(_ words: String) throws {
    let scratch = try Scratch()
    _ = try scratch.write("recording.txt", "")
    let count = words.split(separator: " ").count + 1
    let run = try shell(
      """
      cd \(scratch.directory.path); source <(\(TapProgram.path) --generate-completion-script bash)
      PATH="$(dirname \(TapProgram.path)):$PATH"
      COMP_WORDS=(tap \(words) rec); COMP_CWORD=\(count); COMP_LINE='tap \(words) rec'; COMP_POINT=${#COMP_LINE}
      _tap tap rec "${COMP_WORDS[COMP_CWORD - 1]}"; echo "${COMPREPLY[@]}"
      """)
    #expect(run.output == "recording.txt\n", "\(run.errors)")
  }
}
