import Fixtures
import Foundation
import TestSupport
import Testing

/// An account number in every output of the program, where one data element of a card holds it and another one hides it.
@Suite("A number that is masked anywhere is masked in every output", .blocks, .timeLimit(.minutes(20)))
struct PlantedNumberTests {
  static let number = "4000001234562007"
  static let written = hex(number)
  static let hyphenated = hex("4000-0012-3456-2007")
  static let name = "DOE/JOHN"
  static let command = "00B2010C00"
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static func hex(_ text: String) -> String { text.utf8.map { String(format: "%02X", $0) }.joined() }

  static func object(_ tag: String, _ value: String) -> String {
    tag + (value.count / 2 < 0x80 ? "" : "81") + String(format: "%02X", value.count / 2) + value
  }

  /// Records of one template: the account number in a data element for it, then a planted value.
  static let records: [(title: String, content: String)] = [
    ("9F7C after 5A", object("5A", number) + object("9F7C", "0601" + number + "00")),
    ("9F10 after 5A", object("5A", number) + object("9F10", "06010A03A00000" + "A" + number + "F")),
    ("9F6E after 57", object("57", number + "D22122011438044000001F") + object("9F6E", number + "0000")),
    ("57 without a separator after 5A", object("5A", number) + object("57", number + "0000")),
    ("a label with groups", object("5A", number) + object("50", hyphenated)),
    ("an unknown tag with groups", object("DF20", hyphenated) + object("9F7C", number)),
    ("an unknown tag with a track", object("DF20", hex("%B\(number)^\(name)^2212201987654"))),
    ("a name in a label", object("5A", number) + object("5F20", hex(name)) + object("50", hex("JOHN DOE"))),
    ("a label with packed digits", object("50", "A" + number + "F")),
  ]

  private static let secrets = [
    number, written, hyphenated, "4000-0012-3456-2007", name, hex(name), "JOHN DOE", hex("JOHN DOE"), "987654",
  ]

  private func expectNothing(in text: String, _ title: String) {
    for secret in Self.secrets { #expect(!text.contains(secret), "\(title): \(secret) in \(text)") }
  }

  @Test(arguments: records.indices)
  func `decode, send, redact and convert never show the number`(_ index: Int) throws {
    let (title, content) = Self.records[index]
    let response = Self.object("70", content) + "9000"
    let file = try scratch.write("tap.txt", "# read \(response)\n\(Self.command)\n\(response)\n")
    let record = scratch.path("record.txt")
    for arguments in [
      ["decode", file], ["decode", "--format", "json", file], ["decode", response], ["redact", file],
      ["convert", "--to", "json", file], ["convert", "--to", "scriptor", file],
      ["send", "--reader", "replay:\(file)", "--record", record, "--force", Self.command],
      ["send", "--reader", "replay:\(file)", "--format", "json", Self.command],
    ] {
      let run = try TapProgram.finish(TapProgram.start(arguments))
      expectNothing(in: run.output + run.errors, "\(title), \(arguments.prefix(3))")
    }
    expectNothing(in: try String(contentsOfFile: record, encoding: .utf8), "\(title), the recording")
  }

  @Test func `decode shows the other bytes of a value that holds the number`() throws {
    let run = try TapProgram.run("decode", Self.object("70", Self.records[0].content) + "9000")
    #expect(run.output.contains("400000******2007"), "\(run.output)")
    #expect(run.output.contains("****") && !run.output.contains(Self.number), "\(run.output)")
    let unmasked = try TapProgram.run("decode", "--unmasked", Self.object("70", Self.records[0].content) + "9000")
    #expect(unmasked.output.contains("0601\(Self.number)00"), "\(unmasked.output)")
  }

  /// A card that hides its number and its name in further data elements of its records.
  private func card() throws -> String {
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
      .replacingOccurrences(of: "4761739001010010", with: Self.number)
      .replacingOccurrences(
        of: "\"5F34 01\"", with: "\"5F34 01\", \"9F7C 0601\(Self.number)00\", \"DF20 \(Self.hyphenated)\"")
    #expect(profile.contains("DF20"))
    return try scratch.write("stranger.json", profile)
  }

  @Test func `accept, demo and reports of a card that repeats its number never show it`() throws {
    let card = try card()
    let (record, report) = (scratch.path("r.txt"), scratch.path("r.html"))
    let options = [
      ["--format", "json"], ["--issuer", "none"], ["--issuer", "none", "--format", "json"], ["--verbose"],
    ]
    for further in options {
      let run = try TapProgram.accept(
        "loopback:\(card)", amount: "1", currency: "978",
        ["--record", record, "--report", report, "--force"] + further)
      expectNothing(in: run.output + run.errors, "accept \(further)")
      for path in [record, report] {
        expectNothing(in: try String(contentsOfFile: path, encoding: .utf8), "\(path) of accept \(further)")
      }
      #expect(try TapProgram.run("replay", record).code == 0)
    }
    for further in [["--format", "json"], ["--verbose"]] {
      let run = try TapProgram.finish(TapProgram.start(["demo", "--card", card] + further))
      expectNothing(in: run.output + run.errors, "demo \(further)")
    }
  }

  @Test func `a shipped test card beside another card does not show the other card`() throws {
    let own = Self.object("70", Self.object("5A", "4761739001010010"))
    let other = Self.object("70", Self.object("DF20", Self.number) + Self.object("5F20", Self.hex(Self.name)))
    let file = try scratch.write(
      "both.txt",
      "00A4040007A0000000031010\n9000\n\(Self.command)\n\(own)9000\n"
        + "00A4040007A0000000041010\n9000\n\(Self.command)\n\(other)9000\n")
    let run = try TapProgram.run("convert", "--to", "json", file)
    #expect(run.output.contains("4761739001010010"), "\(run.output)\(run.errors)")
    expectNothing(in: run.output + run.errors, "convert")
  }

  static let pins = [
    ["send", "0020008008241234FFFFFFFFF", "--reader", "replay:tap.txt"],
    ["send", "00200080", "08241234FFFFFFFFFF", "--reader", "replay:tap.txt"],
    ["send", "FF20000008241234FFFFFFFFFF", "--reader", "replay:tap.txt"], ["decode", "0020008008241234FFFFFFFFF"],
    ["decode", "0020008008241234FFFFFFFFFF"], ["decode", "0020008009241234FFFFFFFFFF"],
  ]

  @Test(arguments: pins)
  func `no error and no decoding quotes a PIN block`(_ arguments: [String]) throws {
    let file = try scratch.write("tap.txt", "\(Self.command)\n6A83\n")
    let run = try TapProgram.finish(
      TapProgram.start(arguments.map { $0.replacingOccurrences(of: "tap.txt", with: file) }))
    #expect(!(run.output + run.errors).contains("241234"), "\(run.output)\(run.errors)")
  }

  @Test func `the shell and a script never quote a PIN block`() throws {
    let file = try scratch.write("tap.txt", "\(Self.command)\n6A83\n")
    let script = try scratch.write("script.txt", "0020008008241234FFFFFFFFF\n08241234FFFFFFFFFFx\n")
    let shell = try ProgramRun(
      "sh", ["-c", "\"$0\" shell --no-history --reader \"replay:$1\" < \"$2\"", TapProgram.path, file, script])
    for run in [
      try TapProgram.finish(shell),
      try TapProgram.finish(TapProgram.start(["send", "--reader", "replay:\(file)", "--script", script])),
    ] {
      #expect(run.code != 0 && !(run.output + run.errors).contains("241234"), "\(run.output)\(run.errors)")
    }
  }
}
