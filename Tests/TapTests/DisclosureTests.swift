import Fixtures
import Foundation
import TestSupport
import Testing

/// R61: account numbers, track data and names of cards that are no shipped test cards stay hidden.
@Suite("Cardholder data stay hidden", .blocks, .timeLimit(.minutes(10)))
struct DisclosureTests {
  static let number = "4000001234562009"
  let scratch: Scratch
  let card: String

  init() throws {
    scratch = try Scratch()
    let profile = String(decoding: try Fixtures.data("Cards/visa-cvn18.json"), as: UTF8.self)
      .replacingOccurrences(of: "4761739001010010", with: Self.number)
    card = try scratch.write("stranger.json", profile)
  }

  func accept(_ further: String...) throws -> TapProgram.Run {
    try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", "loopback:\(card)", "--amount", "12.34", "--currency", "978"] + further))
  }

  static let name = "544553542F43415244"

  @Test(arguments: [["--format", "text"], ["--format", "json"], ["--issuer", "none"]])
  func `on screen, in JSON and in recordings`(_ arguments: [String]) throws {
    let file = scratch.path("r.txt")
    let run = try TapProgram.finish(
      TapProgram.start(
        ["accept", "--reader", "loopback:\(card)", "--amount", "1", "--currency", "978", "--record", file] + arguments))
    let recording = try String(contentsOfFile: file, encoding: .utf8)
    for text in [run.output, run.errors, recording] {
      #expect(!text.contains(Self.number))
      #expect(!text.contains(Self.name))
      #expect(!text.contains("TEST/CARD"))
    }
    // The recording still replays.
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  @Test func `and are shown on demand`() throws {
    #expect(try accept("--unmasked").output.contains(Self.number))
    #expect(try accept("--unmasked", "--format", "json").output.contains(Self.number))
    let file = scratch.path("u.txt")
    _ = try accept("--record", file, "--unredacted")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.number))
  }

  @Test func `a malformed profile does not put them into an error`() throws {
    for (from, to) in [("5A \(Self.number)", "5A\(Self.number)"), ("57 \(Self.number)D", "57\(Self.number)D")] {
      let text = try String(contentsOfFile: card, encoding: .utf8).replacingOccurrences(
        of: "\"\(from)", with: "\"\(to)")
      let run = try TapProgram.run("bench", "--card", try scratch.write("bad.json", text))
      #expect(run.code == 1)
      #expect(run.errors.contains("applications[0].records[0].data"))
      #expect(!run.errors.contains(Self.number))
    }
  }

  @Test func `shipped test cards are shown as they are`() throws {
    let run = try TapProgram.run(
      "accept", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--amount", "1", "--currency", "978")
    #expect(run.output.contains("4761739001010010"))
  }
}
