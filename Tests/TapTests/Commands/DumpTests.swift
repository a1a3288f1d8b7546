import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap dump`, as its users run it.
@Suite("tap dump", .blocks, .timeLimit(.minutes(20)))
struct DumpTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  func instructions(_ run: TapProgram.Run) throws -> [String] {
    try #require(run.json()["exchanges"] as? [[String: Any]]).compactMap {
      ($0["command"] as? String).map { String($0.prefix(4)) }
    }
  }

  @Test func `without a request the transaction counter of the card does not change`() throws {
    let run = try TapProgram.run(
      "dump", "--reader", "loopback:\(TapProgram.card("visa-cvn18"))", "--format", "json")
    #expect(run.code == 0, "\(run.errors)")
    let instructions = try instructions(run)
    #expect(instructions.starts(with: ["00A4", "00A4", "80CA"]))
    // The card refuses the first record, because it was given no processing options, and no further one is tried.
    #expect(instructions.filter { $0 == "00B2" }.count == 1)
    #expect(!instructions.contains("80A8"))
    #expect(run.errors.contains("1 application: A0000000031010"))
  }

  /// Reads a test card into a profile draft.
  func draft(of card: String) throws -> (path: String, notes: String) {
    let profile = scratch.path("draft.json")
    let run = try TapProgram.run(
      "dump", "--reader", "loopback:\(TapProgram.card(card))", "--processing-options", "--profile", profile)
    #expect(run.code == 0, "\(run.errors)")
    return (profile, run.errors)
  }

  func expectPayment(with profile: String) throws {
    let paid = try TapProgram.run(
      "accept", "--reader", "loopback:\(profile)", "--amount", "12.34", "--currency", "978", "--format", "json")
    #expect(paid.code == 0, "\(paid.errors)")
    #expect(try paid.json()["outcome"] as? String == "approved")
  }

  @Test func `the profile draft of a Mastercard test card pays in its place, and names what it assumes`() throws {
    let (profile, notes) = try draft(of: "mastercard-cvn16")
    #expect(notes.contains("tag 9F10 comes with a cryptogram only; cryptogram version 16 is assumed"), "\(notes)")
    try expectPayment(with: profile)
  }

  @Test(arguments: ["visa-cvn18", "visa-cvn10", "co-badged"])
  func `the draft of a verified Visa card does not keep the bits of the verification, and pays`(_ card: String) throws {
    let (profile, notes) = try draft(of: card)
    #expect(!notes.contains("not complete yet"), "\(notes)")
    #expect(notes.contains("ctq 0000 in place of 0080"), "\(notes)")
    #expect(notes.contains("cryptogram.cvr 03A00000 in place of 03A40000"), "\(notes)")
    try expectPayment(with: profile)
  }

  @Test func `a substitute of an account number is named, in the draft too`() throws {
    let recording = scratch.path("card.txt")
    // A number that is no test card's.
    let profile = try String(contentsOfFile: TapProgram.card("visa-cvn18"), encoding: .utf8)
    let own = try scratch.write(
      "own.json", profile.replacingOccurrences(of: "4761739001010010", with: "4761739001010119"))
    let arguments = ["dump", "--reader", "loopback:\(own)", "--processing-options", "--record", recording]
    let draft = scratch.path("draft.json")
    let run = try TapProgram.finish(TapProgram.start(arguments + ["--profile", draft]))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("account number 9999900000000013 is a substitute; --unmasked"), "\(run.errors)")
    #expect(run.errors.contains("profile draft: account number 9999900000000013 is a substitute; --unredacted"))
    #expect(try String(contentsOfFile: draft, encoding: .utf8).contains("9999900000000013"))
    let whole = try TapProgram.finish(
      TapProgram.start(arguments + ["--profile", draft, "--force", "--unredacted", "--unmasked"]))
    #expect(whole.code == 0 && !whole.errors.contains("substitute"), "\(whole.errors)")
    let test = try TapProgram.run("dump", "--reader", SendTests.visa)
    #expect(!test.errors.contains("substitute"), "\(test.errors)")
  }

  @Test func `a card without a directory is asked for the known applications`() throws {
    let file = try scratch.write("empty.txt", "00A404000E325041592E5359532E444446303100\n6A82\n")
    let run = try TapProgram.run("dump", "--reader", "replay:\(file)", "--format", "json")
    #expect(run.code == 2)
    #expect(try instructions(run) == ["00A4", "00A4"])
  }

  static let mistakes: [(arguments: [String], code: Int32, names: [String])] = [
    ([], 64, ["--reader"]),
    (["--reader", SendTests.visa, "--aid", "A000"], 64, ["--aid A000", "5 to 16"]),
    (["--reader", SendTests.visa, "--profile", "x.json"], 64, ["--profile", "--processing-options"]),
    (["--reader", SendTests.visa, "--processing-options", "--profile", "/nonexistent/x"], 1, ["/nonexistent"]),
    (["--reader", SendTests.visa, "--record", "/nonexistent/x"], 1, ["/nonexistent"]),
    (["--reader", SendTests.visa, "--timeout", "3601"], 64, ["--timeout 3601", "1...3600"]),
    (["--reader", "loopback:/nonexistent"], 1, ["/nonexistent"]),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake has its exit code, and its message names place and value`(_ row: Int) throws {
    let (arguments, code, names) = Self.mistakes[row]
    let run = try TapProgram.finish(TapProgram.start(["dump"] + arguments))
    #expect(run.code == code, "\(arguments): \(run.output)\(run.errors)")
    #expect(run.output.isEmpty)
    for name in names { #expect(run.errors.contains(name), "\(arguments): \(run.errors)") }
  }
}
