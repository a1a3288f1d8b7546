import Fixtures
import Foundation
import TestSupport
import Testing

/// The data of slightly malformed cards in every output.
@Suite("Account numbers of malformed cards", .blocks, .timeLimit(.minutes(20)))
struct MalformedCardTests {
  static let number = "4000001234562007"
  static let written = number.utf8.map { "3" + String($0 - 0x30) }.joined()
  static let track = "5713" + number + "D22122011438044000001F"
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let contents: [(title: String, content: String)] = [
    ("94 swallows tag 57", "820220009419" + "08010100" + track), ("9F10 of 54 bytes", "9F1036" + track + padding(33)),
    ("9F4D of 17 bytes", "9F4D11" + "0B0A5A08" + number + padding(5)), ("a label", "5010" + written),
    ("a cryptogram", "9F2608" + number), ("malformed B4", "B40E" + "9F36020001" + "5713" + number.prefix(14)),
    ("malformed 3E", "3E0A" + "01" + number + "00"), ("malformed BF0C", "BF0C1773" + "285A08" + number + padding(11)),
    ("malformed 73", "730A5A09" + number),
  ]

  private static func padding(_ count: Int) -> String { String(repeating: "00", count: count) }

  @Test(arguments: contents.indices)
  func `no output has the account number of a malformed card`(_ index: Int) throws {
    let (title, content) = Self.contents[index]
    let options = "77" + String(format: "%02X", content.count / 2) + content + "9000"
    let file = try scratch.write("tap.txt", "80A8000002830000\n\(options)\n")
    let record = scratch.path("record.txt")
    let command = "80A8000002830000"
    for arguments in [
      ["redact", file], ["send", "--reader", "replay:\(file)", "--record", record, "--force", command],
      ["send", "--reader", "replay:\(file)", "--format", "json", command], ["decode", file],
      ["decode", "--format", "json", file], ["decode", options],
    ] {
      let run = try TapProgram.finish(TapProgram.start(arguments))
      for text in [run.output, run.errors] {
        #expect(!text.contains(Self.number) && !text.contains(Self.written), "\(title), \(arguments): \(text)")
      }
    }
    let recorded = try String(contentsOfFile: record, encoding: .utf8)
    #expect(!recorded.contains(Self.number) && !recorded.contains(Self.written), "\(title): \(recorded)")
  }

  /// What `tap dump` sends to a card without a directory before and after its processing options, each with the response.
  private static let application = "A0000000031010"
  private static let selected =
    ["00A404000E325041592E5359532E444446303100", "6A82", "00A4040007\(application)00", "6F098407\(application)9000"]
  private static let data = ["9F36", "9F13", "9F17", "9F4F", "9F5D"].flatMap { ["80CA\($0)00", "6A88"] }

  @Test(arguments: contents.indices)
  func `dump and shell never show the account number of a malformed card`(_ index: Int) throws {
    let (title, content) = Self.contents[index]
    let options = "77" + String(format: "%02X", content.count / 2) + content + "9000"
    let exchange = ["80A8000002830000", options]
    let file = try scratch.write("tap.txt", (Self.selected + exchange + Self.data).joined(separator: "\n") + "\n")
    let reader = "replay:\(file)"
    let (record, typed, draft) = (scratch.path("dump.txt"), scratch.path("shell.txt"), scratch.path("draft.json"))
    let lines = try scratch.write(
      "lines.txt",
      (["record \(typed)"] + stride(from: 0, to: Self.selected.count, by: 2).map { Self.selected[$0] } + [exchange[0]])
        .joined(separator: "\n") + "\n")
    let dump = ["dump", "--reader", reader, "--aid", Self.application, "--processing-options"]
    for run in [
      try TapProgram.start(dump + ["--record", record, "--profile", draft]),
      try TapProgram.start(dump + ["--format", "json"]),
      try ProgramRun("sh", ["-c", "\"$0\" shell --reader \"$1\" < \(lines)", TapProgram.path, reader]),
    ] {
      let ended = try TapProgram.finish(run)
      #expect(ended.output.contains("80A8000002830000"), "\(title): \(ended.output)\(ended.errors)")
      expectNoNumber(in: ended.output + ended.errors, title)
    }
    for path in [record, typed, draft] {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { continue }
      expectNoNumber(in: text, title)
    }
    let unmasked = try TapProgram.finish(TapProgram.start(dump + ["--unmasked"]))
    #expect(unmasked.output.contains(Self.number.prefix(12)) || unmasked.output.contains(Self.written), "\(title)")
    for path in [record, typed] { #expect(FileManager.default.fileExists(atPath: path), "\(title): \(path)") }
  }

  private func expectNoNumber(in text: String, _ title: String) {
    #expect(!text.contains(Self.number) && !text.contains(Self.written), "\(title): \(text)")
  }

  @Test func `decode masks the account number of malformed data and shows the other bytes`() throws {
    let run = try TapProgram.run("decode", "9F1020" + "06010A03A00000" + Self.track + "00000000")
    #expect(run.output.contains("06010A03A000005713*") && !run.output.contains(Self.number), "\(run.output)")
  }
}
