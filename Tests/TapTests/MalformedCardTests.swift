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
    ("94 swallows tag 57", "820220009419" + "08010100" + track), ("9F10 of 54 octets", "9F1036" + track + padding(33)),
    ("9F4D of 17 octets", "9F4D11" + "0B0A5A08" + number + padding(5)), ("a label", "5010" + written),
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

  @Test func `decode masks the account number of malformed data and shows the other octets`() throws {
    let run = try TapProgram.run("decode", "9F1020" + "06010A03A00000" + Self.track + "00000000")
    #expect(run.output.contains("06010A03A*") && !run.output.contains(Self.number), "\(run.output)")
  }
}
