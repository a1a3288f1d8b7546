import Fixtures
import Foundation
import TestSupport
import Testing

/// One rule for every command that writes a file: a file that exists is refused without --force, and a file is written
/// whole or not at all.
@Suite("Output files", .blocks, .timeLimit(.minutes(20)))
struct OutputFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The commands that write a file. FILE stands for its path.
  static let commands: [[String]] = [
    ["convert", Fixtures.url("Transcripts/Tools/pcscd.log").path, "--to", "json", "-o", "FILE"],
    ["redact", Fixtures.url("Transcripts/Tools/pcscd.log").path, "-o", "FILE"],
    [
      "accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--amount", "1", "--currency", "EUR",
      "--record", "FILE",
    ],
    ["present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--record", "FILE"],
    ["test", Fixtures.url("Scenarios/visa-low-value.yaml").path, "--reader", "loopback", "-o", "FILE"],
    [
      "test", Fixtures.url("Scenarios/visa-low-value.yaml").path, "--reader", "loopback", "--format", "json", "-o",
      "FILE",
    ],
    [
      "test", Fixtures.url("Scenarios/visa-low-value.yaml").path, "--reader", "loopback", "--format", "junit", "-o",
      "FILE",
    ],
  ]

  private func run(_ command: [String], _ path: String, _ further: String...) throws -> TapProgram.Run {
    try TapProgram.run(arguments: command.map { $0 == "FILE" ? path : $0 } + further)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.directory.path).sorted()
  }

  @Test(arguments: commands)
  func `a file that exists is refused, and replaced with --force`(_ command: [String]) throws {
    let kept = try scratch.write("kept", "mine")
    let refused = try run(command, kept)
    #expect(refused.code == 1 && refused.output.isEmpty, "\(refused.output)")
    #expect(refused.errors.contains("\(kept) exists: --force writes over it"), "\(refused.errors)")
    #expect(try String(contentsOfFile: kept, encoding: .utf8) == "mine")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: kept)
    let replaced = try run(command, kept, "--force")
    #expect(replaced.code == 0, "\(replaced.errors)")
    #expect(try String(contentsOfFile: kept, encoding: .utf8).count > 4)
    #expect(try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions] as? Int == 0o640)
    #expect(try names() == ["kept"])
  }

  @Test(arguments: commands)
  func `a full disk is reported, and leaves no file and changes none`(_ command: [String]) throws {
    let arguments = command.map { $0 == "FILE" ? "\"$file\"" : "'\($0)'" }.joined(separator: " ")
    let root = scratch.directory.path
    // The file system is private to the shell's mount namespace.
    let script = """
      mount -t tmpfs -o size=64k tmpfs '\(root)' || exit 99
      echo old > '\(root)/old'
      cat /dev/zero > '\(root)/filler' 2> /dev/null
      for file in '\(root)/new' '\(root)/old'; do
        force=; test -e "$file" && force=--force
        '\(TapProgram.path)' \(arguments) $force
        echo "code $?" >&2
      done
      ls -A '\(root)' >&2; cat '\(root)/old' >&2
      """
    let shell = try TapProgram.finish(ProgramRun("unshare", ["--map-root-user", "--mount", "sh", "-c", script]))
    #expect(shell.code == 0, "\(shell.errors)")
    let lines = shell.errors.split(separator: "\n")
    for name in ["new", "old"] {
      #expect(
        lines.contains("error: \(root)/\(name) cannot be written: No space left on device"), "\(shell.errors)")
    }
    #expect(!shell.errors.contains("exists"))
    #expect(lines.filter { $0 == "code 1" }.count == 2, "\(shell.errors)")
    #expect(lines.suffix(3) == ["filler", "old", "old"], "\(shell.errors)")
    // The results of the taps are printed instead, once for each run.
    let documents = command.first == "test" ? 2 : 0
    #expect(shell.output.components(separatedBy: "<testsuites").count - 1 == (command.contains("junit") ? 2 : 0))
    #expect(
      shell.output.components(separatedBy: "\"scenarios\":[").count - 1 == (command.contains("json") ? documents : 0))
  }

  @Test func `standard output is written by its name as a device, into a file too`() throws {
    for script in ["tap -o /dev/stdout", "tap -o /dev/stdout | cat", "tap -o /dev/stdout > out; cat out"] {
      let tap = "'\(TapProgram.path)' redact '\(Fixtures.url("Transcripts/Tools/pcscd.log").path)'"
      let shell = try ProgramRun(
        "sh", ["-c", "cd '\(scratch.directory.path)'; " + script.replacingOccurrences(of: "tap", with: tap)])
      let run = try TapProgram.finish(shell)
      #expect(run.code == 0 && run.output.contains("00A404000E"), "\(script): \(run.errors)")
    }
  }

  @Test func `a device is written to and stays`() throws {
    let convert = try #require(Self.commands.first)
    #expect(try run(convert, "/dev/null").code == 0)
    let full = try run(convert, "/dev/full")
    #expect(full.code == 1)
    #expect(full.errors.contains("/dev/full cannot be written: No space left on device"), "\(full.errors)")
    for path in ["/dev/null", "/dev/full"] {
      let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      #expect(kind == .typeCharacterSpecial)
    }
  }

  @Test func `recordings in a directory are refused, and replaced with --force`() throws {
    let test = ["test", Fixtures.url("Scenarios/visa-low-value.yaml").path, "--reader", "loopback", "--record", "FILE"]
    let directory = scratch.path("recordings")
    #expect(try run(test, directory).code == 0)
    let refused = try run(test, directory)
    #expect(refused.code == 1 && refused.errors.contains("--force writes over it"), "\(refused.errors)")
    #expect(try run(test, directory, "--force").code == 0)
  }

  @Test(arguments: commands)
  func `--force without a file is wrong usage`(_ command: [String]) throws {
    let run = try TapProgram.run(arguments: Array(command.dropLast(2)) + ["--force"])
    #expect(run.code == 64 && run.errors.contains("--force needs"), "\(run.errors)")
  }

  @Test func `a file that cannot be decoded is named in the error`() throws {
    for text in ["zz", "", "00A4\nhello\n", "send: 00A4\nhello\n", "{\"contactless-transcript\": 1,"] {
      let file = try scratch.write("input.txt", text)
      let run = try TapProgram.run("decode", file)
      #expect(run.code == 2 && run.errors.contains("error: \(file): "), "\(run.errors)")
      let piped = try TapProgram.finish(ProgramRun("sh", ["-c", "'\(TapProgram.path)' decode - < '\(file)'"]))
      #expect(piped.code == 2 && piped.errors.contains("error: standard input: "), "\(piped.errors)")
    }
  }
}
