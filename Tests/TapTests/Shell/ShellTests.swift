import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap shell` with its lines from a pipe or file.
@Suite("tap shell", .blocks, .timeLimit(.minutes(20)))
struct ShellTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs a shell with lines as its standard input.
  func shell(
    _ lines: [String], reader: String = SendTests.visa, _ further: [String] = [], environment: [String: String] = [:]
  ) throws -> TapProgram.Run {
    let input = try scratch.write("input-\(UUID().uuidString).txt", lines.joined(separator: "\n") + "\n")
    let arguments = ["-c", "\"$0\" shell --reader \"$@\" < \(input)", TapProgram.path, reader] + further
    return try TapProgram.finish(ProgramRun("sh", arguments, environment: environment))
  }

  @Test func `the lines of a pipe are sent and shown in words, without a prompt`() throws {
    let run = try shell([
      "select ppse", "select visa # the application", "", "get 9F36", "00A404000E325041592E5359532E444446303100",
    ])
    #expect(run.code == 0, "\(run.errors)")
    for line in ["1. SELECT  9000", "2. SELECT  9000", "3. GET DATA  9000", "4. SELECT  9000", "(ATC): 0000"] {
      #expect(run.output.contains(line), "\(line) is missing in \(run.output)")
    }
    #expect(!run.output.contains("tap>"))
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  @Test func `options sends the values that the selected application asks for, and its records can be read`() throws {
    let run = try shell(["select A0000000031010", "options", "read 1 1"])
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("2. GET PROCESSING OPTIONS  9000"))
    #expect(run.output.contains("3. READ RECORD  9000"))
    #expect(run.output.contains("4761739001010010"))
  }

  @Test func `a refused command gives exit code 2, and the shell goes on`() throws {
    let run = try shell(["read 1 1", "select ppse"])
    #expect(run.code == 2, "\(run.errors)")
    #expect(run.output.contains("2. SELECT  9000"))
  }

  @Test func `quit ends the shell before the next line`() throws {
    let run = try shell(["select ppse", "quit", "select visa"])
    #expect(run.code == 0)
    #expect(!run.output.contains("2. "))
  }

  @Test func `words about the card, bytes and tags need no command`() throws {
    let run = try shell(
      ["decode 9F3602 0007", "tag 9F66", "tag transaction qualifiers", "help read", "help"],
      reader: "replay:\(try scratch.write("one.txt", "00A4040000\n9000\n"))")
    #expect(run.code == 0, "\(run.errors)")
    for text in [
      "taken for TLV", "(ATC): 0007", "9F66 Terminal Transaction Qualifiers (TTQ): b, 4 bytes, from the terminal",
      "9F6C Card Transaction Qualifiers (CTQ)", "read SFI RECORD  READ RECORD.", "record FILE|off",
    ] { #expect(run.output.contains(text), "\(text) is missing in \(run.output)") }
  }

  @Test func `a recording has all exchanges of the session, is masked, and replays`() throws {
    let file = scratch.path("recorded.txt")
    let lines = ["select ppse", "select visa", "get 9F36"]
    let run = try shell(Array(lines.prefix(2)) + ["record \(file)"] + lines.suffix(1))
    #expect(run.code == 0, "\(run.errors)")
    let again = try shell(lines, reader: "replay:\(file)")
    #expect(again.code == 0, "\(again.errors)")
    let exists = try shell(["record \(file)"])
    #expect(exists.code == 2)
    #expect(exists.errors.contains("line 1: \(file) exists: --force writes over it"), "\(exists.errors)")
    let number = "4929000000000003"
    let own = "replay:\(try scratch.write("own.txt", "00B2010C00\n700A5A08\(number)9000\n"))"
    let masked = try shell(["read 1 1"], reader: own, ["--record", scratch.path("masked.txt")])
    #expect(masked.code == 0, "\(masked.errors)")
    let recorded = try String(contentsOfFile: scratch.path("masked.txt"), encoding: .utf8)
    #expect(!masked.output.contains(number) && !recorded.contains(number))
  }

  @Test func `record off ends the recording`() throws {
    let file = scratch.path("recorded.txt")
    let run = try shell(["select ppse", "record \(file)", "record off", "select visa"])
    #expect(run.code == 0, "\(run.errors)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "00A40400").count == 2)
  }

  /// A line, and what the message names besides the number of the line.
  static let mistakes: [(line: String, names: [String])] = [
    ("slect ppse", ["\"slect\"", "did you mean select?", "help"]),
    ("xyz", ["\"xyz\"", "neither"]),
    ("00A4", ["00A4", "at least 4"]),
    ("00A40", ["00A40"]),
    ("select", ["select AID|NAME"]),
    ("select ppse pse", ["select AID|NAME"]),
    ("select viza", ["viza", "did you mean visa?"]),
    ("select A000", ["A000", "5 to 16 bytes"]),
    ("read 1", ["read SFI RECORD"]),
    ("read 31 1", ["read 31", "1...30"]),
    ("read 0 1", ["read 0", "1...30"]),
    ("read 1 0", ["read 1 0", "1...255"]),
    ("read 1 256", ["256", "1...255"]),
    ("read x y", ["read x", "1...30"]),
    ("get", ["get TAG"]),
    ("get zz", ["get zz", "9F36"]),
    ("get 9F3601", ["get 9F3601", "2 or 4"]),
    ("decode", ["decode HEX"]),
    ("decode xx", ["decode"]),
    ("tag", ["tag TAG|WORD"]),
    ("tag nosuchname", ["nosuchname"]),
    ("record", ["record FILE|off"]),
    ("record off", ["nothing is recorded"]),
    ("record /nonexistent/file", ["/nonexistent"]),
    ("record /", ["/", "directory"]),
    ("help nosuch", ["nosuch"]),
    ("quit now", ["quit"]),
    ("FFCA000000", ["FFCA000000", "PC/SC reader"]),
  ]

  @Test func `every wrong line is reported with its number, and the next line is taken`() throws {
    let run = try shell(Self.mistakes.map(\.line) + ["select ppse"])
    #expect(run.code == 2)
    #expect(run.output.contains("1. SELECT  9000"))
    let errors = run.errors.split(separator: "\n")
    #expect(errors.count == Self.mistakes.count, "\(run.errors)")
    for (number, mistake) in Self.mistakes.enumerated() {
      let message = try #require(errors.first { $0.hasPrefix("error: line \(number + 1): ") }, "\(mistake.line)")
      for name in mistake.names { #expect(message.contains(name), "\(message)") }
    }
  }

  @Test func `a link that ends is an error`() throws {
    let reader = "replay:\(try scratch.write("one.txt", "00A4040000\n9000\n"))"
    let run = try shell(["00A4040000", "80CA9F3600", "select ppse"], reader: reader)
    #expect(run.code == 2)
    #expect(run.errors.contains("error: "))
    let none = try shell(["help"], reader: "loopback:/nonexistent")
    #expect(none.code == 1)
    #expect(none.errors.contains("/nonexistent"))
  }
}
