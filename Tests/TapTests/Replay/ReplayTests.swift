import Fixtures
import Foundation
import TestSupport
import Testing
import Transcripts

@Suite("tap replay", .blocks, .timeLimit(.minutes(20)))
struct ReplayTests {
  @Test func `the shipped recordings of both sides reproduce`() throws {
    let names = try Fixtures.names(in: "Transcripts", ending: ".txt")
      .filter { $0.hasSuffix("-terminal.txt") || $0.hasSuffix("-card.txt") }
    for side in ["-terminal.txt", "-card.txt"] {
      for scheme in ["visa-", "mastercard-"] {
        #expect(names.contains { $0.hasPrefix(scheme) && $0.hasSuffix(side) }, "\(scheme)\(side)")
      }
    }
    let program = try TapProgram.start(["replay"] + names.map { Fixtures.url("Transcripts/\($0)").path })
    let run = try TapProgram.finish(program)
    #expect(run.code == 0, "\(run.output)")
    #expect(run.output.split(separator: "\n").count == names.count)
  }

  /// A recording, a change of it, and the data element that differs.
  static let mastercard: [(file: String, from: String, to: String, message: String)] = [
    ("mastercard-cvn16-terminal", "02768000008001", "02768000008000", "95 Terminal Verification Results"),
    ("mastercard-cvn16-terminal", "2101000200", "2101000000", "9F34"),
    ("mastercard-magstripe-terminal", "802A8E80050000", "802A8E80050001", "9F6A"),
    ("mastercard-magstripe-terminal", "#@ outcome: approved", "#@ outcome: declined", "not \"declined\""),
    ("mastercard-cvn16-card", "9F2608B8", "9F2608B9", "9F26"),
    ("mastercard-cvn16-card", "9F10120110", "9F10120210", "9F10"),
  ]

  @Test(arguments: mastercard.indices)
  func `a changed Mastercard recording of either mode and side does not reproduce`(_ row: Int) throws {
    let (file, from, to, message) = Self.mastercard[row]
    let scratch = try Scratch()
    let text = String(decoding: try Fixtures.data("Transcripts/\(file).txt"), as: UTF8.self)
    let changed = text.replacingOccurrences(of: from, with: to)
    #expect(changed != text)
    let run = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(run.code == 2, "\(run.output)")
    #expect(run.output.contains(message), "\(run.output)")
  }

  func record(
    _ scratch: Scratch, cardAt card: String = TapProgram.card("visa-cvn18"), _ further: String...
  ) throws -> String {
    let file = scratch.path("tap.txt")
    let run = try TapProgram.run(
      arguments: ["accept", "--reader", "loopback:\(card)", "--amount", "12.34", "--currency", "978", "--record", file]
        + further)
    #expect(run.code == 0, "\(run.errors)")
    return file
  }

  @Test func `a recording reproduces, and serves tap accept as a card`() throws {
    let scratch = try Scratch()
    let file = try record(scratch)
    #expect(try TapProgram.run("replay", file).code == 0)
    let accepted = try TapProgram.run(
      "accept", "--reader", "replay:\(file)", "--amount", "12.34", "--currency", "978", "--format", "json")
    #expect(accepted.code == 0, "\(accepted.errors)")
    #expect(try accepted.json()["outcome"] as? String == "approved")
  }

  @Test func `an amount that was not recorded is reported as a difference with its data element`() throws {
    let scratch = try Scratch()
    let file = try record(scratch)
    let run = try TapProgram.run("accept", "--reader", "replay:\(file)", "--amount", "12.35", "--currency", "978")
    #expect(run.code == 2)
    #expect(run.errors.contains("exchange 3"))
    #expect(run.errors.contains("9F02"))
  }

  @Test func `a relay measurement in a replay has the recorded response times`() throws {
    let scratch = try Scratch()
    let late = #"{ "when": { "exchange": 4 }, "what": { "kind": "delay", "milliseconds": 300 }, "times": 1 }"#
    let text = String(decoding: try Fixtures.data("Cards/mastercard-cvn21.json"), as: UTF8.self)
    let end = try #require(text.lastIndex(of: "}"))
    let card = try scratch.write("card.json", text[..<end] + #", "faults": ["# + late + "]}")
    let file = try record(scratch, cardAt: card, "--faults")
    let recording = try Transcript(parsing: try String(contentsOfFile: file, encoding: .utf8))
    let relay = recording.exchanges.filter { $0.command.starts(with: [0x80, 0xEA]) }
    #expect(relay.count >= 2 && relay[0].nanoseconds! >= 300_000_000)
    let run = try TapProgram.run("replay", file)
    #expect(run.code == 0, "\(run.output)")
    // With shorter recorded times the terminal does not measure again.
    var nearby = recording
    nearby.exchanges[3].nanoseconds = 2_000_000
    let differs = try TapProgram.run("replay", try scratch.write("nearby.txt", nearby.text))
    #expect(differs.code == 2 && differs.output.contains("exchange 5"), "\(differs.output)")
  }

  @Test func `the recording is written although the pipe of standard output is closed`() throws {
    let scratch = try Scratch()
    let file = scratch.path("tap.txt")
    let tap = "\(TapProgram.path) accept --reader loopback:\(TapProgram.card("visa-cvn18")) --amount 1 --currency 978"
    let shell = try ProgramRun("sh", ["-c", "\(tap) --record \(file) | exec true"])
    _ = try shell.finish()
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  /// A change of the recording, the exit code of the replay and its output.
  static let changes: [(from: String, to: String, code: Int32, message: String)] = [
    ("#@ amount: 12.34", "#@ amount: 12.35", 2, "9F02 Amount, Authorised (Numeric)"),
    ("#@ outcome: approved", "#@ outcome: declined", 2, "\"approved\", not \"declined\""),
    ("#@ host: approved 000001", "#@ host: declined because", 2, "\"declined\", not \"approved\""),
    ("#@ random: ", "#@ random: 00", 2, "9F37 Unpredictable Number"),
    ("00B2011C00", "00B2021C00", 2, "exchange 5"),
    ("00B2010C00", "00B2010CZZ", 2, "line"),
    ("#@ currency: 978", "#@ currency: 999", 2, "currency"),
    ("#@ contactless-transcript: 1", "#@ contactless-transcript: 2", 2, "2"),
  ]

  @Test(arguments: changes.indices)
  func `a changed recording does not reproduce, and the change is reported`(_ row: Int) throws {
    let (from, to, code, message) = Self.changes[row]
    let scratch = try Scratch()
    let text = try String(contentsOfFile: record(scratch), encoding: .utf8)
    #expect(text.contains(from))
    let changed = text.replacingOccurrences(of: from, with: to)
    let run = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(run.code == code, "\(run.output)")
    #expect(run.output.contains(message), "\(run.output)")
  }

  @Test(arguments: ["terminal", "card"])
  func `a recording that was cut off does not reproduce`(_ role: String) throws {
    let scratch = try Scratch()
    let file = scratch.path("\(role).txt")
    let card = TapProgram.card("visa-cvn18")
    let run = try TapProgram.run(
      arguments: role == "card"
        ? ["present", "--link", "loopback", "--card", card, "--record", file]
        : ["accept", "--reader", "loopback:\(card)", "--amount", "1", "--currency", "EUR", "--record", file])
    #expect(run.code == 0, "\(run.errors)")
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains("#@ exchanges: 5") && lines.last == "#@ end: 5")
    let command = try #require(lines.lastIndex { $0.hasPrefix("00B2") })
    for count in [command + 1, command + 2, lines.count - 1] {
      let cut = try scratch.write("cut.txt", lines.prefix(count).joined(separator: "\n"))
      let replay = try TapProgram.run("replay", cut)
      #expect(replay.code == 2, "\(replay.output)")
      #expect(replay.output.contains("cut.txt: different: the recording is incomplete: "), "\(replay.output)")
    }
  }

  @Test func `a recording without directives replays from the values that the terminal sent to the card`() throws {
    let scratch = try Scratch()
    let text = try String(contentsOfFile: record(scratch), encoding: .utf8)
    let bare = text.split(separator: "\n").filter { !$0.hasPrefix("#@") }.joined(separator: "\n")
    let run = try TapProgram.run("replay", try scratch.write("bare.txt", bare + "\n"))
    #expect(run.code == 0, "\(run.output)")
  }

  @Test(arguments: [false, true])
  func `tap accept takes terminal and date from the recording`(_ isBare: Bool) throws {
    let scratch = try Scratch()
    let file = scratch.path("usd.txt")
    let recorded = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--amount", "3.21", "--currency", "USD",
      "--terminal", TapProgram.terminal("signature-usd"), "--record", file)
    #expect(recorded.code == 0, "\(recorded.errors)")
    var text = try String(contentsOfFile: file, encoding: .utf8)
    if isBare {
      // Without its directives, the date is in the data of the terminal only.
      text = text.split(separator: "\n").filter { !$0.hasPrefix("#@") || $0.hasPrefix("#@ terminal") }
        .joined(separator: "\n")
    }
    let replayed = try TapProgram.run(
      "accept", "--reader", "replay:\(scratch.write("again.txt", text))", "--amount", "3.21", "--currency", "USD")
    #expect(replayed.code == 0, "\(replayed.errors)")
  }

  @Test func `accept prints why each application was left out, as text and as JSON`() throws {
    let scratch = try Scratch()
    var recording = try Transcript(
      parsing: String(decoding: Fixtures.data("Transcripts/visa-cvn18-terminal.txt"), as: UTF8.self))
    recording.exchanges.removeSubrange(2...)
    let select = recording.exchanges[1].command
    recording.exchanges[1] = Transcript.Exchange(command: select, response: [0x6A, 0x82])
    let file = try scratch.write("refused.txt", recording.text)
    let order = ["accept", "--reader", "replay:\(file)", "--amount", "12.34", "--currency", "978"]
    let line = "A0000000031010: SELECT AID: the card answered 6A82"
    let text = try TapProgram.finish(TapProgram.start(order))
    #expect(text.code == 2, "\(text.errors)")
    #expect(text.output.contains("left out: \(line)"), "\(text.output)")
    let json = try TapProgram.finish(TapProgram.start(order + ["--format", "json"])).json()
    #expect((json["applicationsLeftOut"] as? [String])?.first?.hasPrefix(line) == true, "\(json)")
    #expect(json["reason"] as? String == "SELECT AID: no application left that card and terminal both have")
  }

  @Test(arguments: ["card", "terminal"])
  func `a recording without exchanges is unusable`(_ role: String) throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("replay", try scratch.write("empty.txt", "#@ role: \(role)\n#@ card: {}\n"))
    #expect(run.code == 2)
    #expect(run.output.contains("no exchanges"))
  }

  @Test func `a recording without enough terminal data can be decoded only, and the missing tags are named`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("short.txt", "00A404000E325041592E5359532E444446303100\n6A82\n")
    let run = try TapProgram.run("replay", file)
    #expect(run.code == 2)
    #expect(run.output.contains("decode only"))
    #expect(run.output.contains("9F37"))
    #expect(try TapProgram.run("decode", file).code == 0)
  }

  @Test func `a recording of the card's side reproduces, and not with a changed response`() throws {
    let scratch = try Scratch()
    let file = scratch.path("card.txt")
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--record", file)
    #expect(run.code == 0, "\(run.errors)")
    #expect(try TapProgram.run("replay", file).code == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let changed = text.replacingOccurrences(of: "9F36020001", with: "9F36020002")
    #expect(changed != text)
    let replay = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(replay.code == 2)
    #expect(replay.output.contains("9F36"), "\(replay.output)")
  }

  @Test func `a recording of the card's side does not reproduce with another outcome`() throws {
    let scratch = try Scratch()
    let file = scratch.path("card.txt")
    let run = try TapProgram.run(
      "present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18"), "--record", file)
    #expect(run.code == 0, "\(run.errors)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let changed = text.replacingOccurrences(
      of: "#@ outcome: transactionCompleted", with: "#@ outcome: errorEncountered cancelled")
    #expect(changed != text)
    let replay = try TapProgram.run("replay", try scratch.write("changed.txt", changed))
    #expect(replay.code == 2)
    #expect(replay.output.contains("\"transactionCompleted\", not \"errorEncountered cancelled\""), "\(replay.output)")
  }

  /// Public recordings of other tools, with the exit code and the output of `tap replay`.
  static let shared: [(path: String, code: Int32, message: String)] = [
    ("Transcripts/apple-pay-visa.txt", 0, "reproduced, 3 exchanges"),
    ("Vectors/emv-bertlv/contactless-mastercard-in.txt", 2, "does not have 9F1A Terminal Country Code"),
    ("Vectors/emv-bertlv/contactless-msd-in.txt", 2, "decode only"),
    ("Vectors/emv-bertlv/amex-cda-in.txt", 2, "does not have 9F6E"),
    ("Transcripts/amex-cda.txt", 0, "reproduced, 11 exchanges"),
    ("Vectors/emv-bertlv/contact-visa-in.txt", 2, "does not have 9F66"),
    ("Vectors/emvpt/test_data.yaml", 2, "does not have 9F66"),
    ("Vectors/devnied/VisaCardPpse2.txt", 2, "does not have 9F02"),
  ]

  @Test(arguments: shared.indices)
  func `a public recording reproduces, or its missing tags are named`(_ row: Int) throws {
    let (path, code, message) = Self.shared[row]
    let run = try TapProgram.run("replay", Fixtures.url(path).path)
    #expect(run.code == code, "\(run.output)\(run.errors)")
    #expect(run.output.contains(message), "\(run.output)")
  }

  @Test(arguments: [
    ("082600000000000826211014", "082680000000000826211014", "95 Terminal Verification Results"),
    ("00A4040007A000000003101000", "00A4040007A000000003201000", "exchange 2"),
  ])
  func `a changed recording of a phone does not reproduce`(
    _ from: String, _ to: String, _ message: String
  ) throws {
    let scratch = try Scratch()
    let text = String(decoding: try Fixtures.data("Transcripts/apple-pay-visa.txt"), as: UTF8.self)
    let changed = text.replacingOccurrences(of: from, with: to)
    #expect(changed != text)
    let run = try TapProgram.run("replay", try scratch.write("phone.txt", changed))
    #expect(run.code == 2, "\(run.output)")
    #expect(run.output.contains(message), "\(run.output)")
  }

  @Test(arguments: [
    ("Vectors/devnied/MasterCardPpse.txt", "log"),
    ("Vectors/emv-bertlv/contact-visa-in.txt", "bare lines"), ("Vectors/emvpt/test_data.yaml", "log"),
  ])
  func `the format of a recording is recognised and named on standard error`(
    _ path: String, _ syntax: String
  ) throws {
    for verb in ["decode", "replay"] {
      let run = try TapProgram.run(verb, Fixtures.url(path).path)
      #expect(run.errors.contains("taken for \(syntax)"), "\(verb): \(run.errors)")
    }
  }

  @Test func `a picture is called a picture, and not taken for a recording`() throws {
    let scratch = try Scratch()
    let picture = scratch.path("picture.png")
    try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]).write(to: URL(filePath: picture))
    for arguments in [
      ["replay", picture], ["convert", picture, "--to", "dump"], ["decode", picture], ["redact", picture],
    ] {
      let run = try TapProgram.finish(TapProgram.start(arguments))
      #expect(run.code != 0)
      // A replay has a line of results for every file.
      let said = run.output + run.errors
      #expect(said.contains("a PNG picture") && !said.contains("bare lines"), "\(arguments): \(said)")
    }
  }

  @Test func `a response without a command is left out, with the file and the number of its line`() throws {
    let scratch = try Scratch()
    let file = try scratch.write("broken.txt", "send: 00A4040000\nresp: 6A82\nreceive: 9000\n")
    let run = try TapProgram.run("decode", file)
    #expect(run.code == 0)
    #expect(
      run.errors.contains("\(file): line 3: left out: a response without a command, 2 bytes"), "\(run.errors)")
  }
}
