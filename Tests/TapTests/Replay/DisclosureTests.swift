import Fixtures
import Foundation
import TestSupport
import Testing

/// Account numbers, track data and names of cards that are not shipped test cards are masked.
@Suite("Cardholder data are masked", .blocks, .timeLimit(.minutes(20)))
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
    try TapProgram.accept("loopback:\(card)", amount: "12.34", currency: "978", further)
  }

  @Test func `a recording of the card's side masks the data, and keeps no profile`() throws {
    let file = scratch.path("card.txt")
    let run = try TapProgram.run("present", "--link", "loopback", "--card", card, "--record", file)
    #expect(run.code == 0, "\(run.errors)")
    let recording = try String(contentsOfFile: file, encoding: .utf8)
    #expect(recording.contains("#@ role: card") && !recording.contains("#@ card:"), "\(recording)")
    for text in [run.output, run.errors, recording] {
      for secret in [Self.number, Self.name, "TEST/CARD"] { #expect(!text.contains(secret)) }
    }
  }

  static let name = "544553542F43415244"

  @Test(arguments: [["--format", "text"], ["--format", "json"], ["--issuer", "none"]])
  func `text, JSON and recordings mask the data of a card that is not a shipped test card`(_ arguments: [String]) throws
  {
    let file = scratch.path("r.txt")
    let run = try TapProgram.accept(
      "loopback:\(card)", amount: "1", currency: "978", ["--record", file] + arguments)
    let recording = try String(contentsOfFile: file, encoding: .utf8)
    for text in [run.output, run.errors, recording] {
      #expect(!text.contains(Self.number))
      #expect(!text.contains(Self.name))
      #expect(!text.contains("TEST/CARD"))
    }
    // The recording still replays.
    #expect(try TapProgram.run("replay", file).code == 0)
  }

  @Test func `--unmasked and --unredacted show the data`() throws {
    #expect(try accept("--unmasked").output.contains(Self.number))
    #expect(try accept("--unmasked", "--format", "json").output.contains(Self.number))
    let file = scratch.path("u.txt")
    _ = try accept("--record", file, "--unredacted")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(Self.number))
  }

  @Test func `the error of a malformed profile has no account number`() throws {
    for (from, to) in [("5A \(Self.number)", "5A\(Self.number)"), ("57 \(Self.number)D", "57\(Self.number)D")] {
      let text = try String(contentsOfFile: card, encoding: .utf8).replacingOccurrences(
        of: "\"\(from)", with: "\"\(to)")
      let run = try TapProgram.run("bench", "--card", try scratch.write("bad.json", text))
      #expect(run.code == 2)
      #expect(run.errors.contains("applications[0].records[0].data"))
      #expect(!run.errors.contains(Self.number))
    }
  }

  @Test func `the data of a shipped test card are shown`() throws {
    let run = try TapProgram.accept("loopback:\(TapProgram.card("visa-cvn18"))", amount: "1", currency: "978")
    #expect(run.output.contains("4761739001010010"))
  }
}
