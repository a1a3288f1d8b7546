import Fixtures
import Foundation
import TestSupport
import Testing

/// Cards of public reports in a virtual reader under a real pcscd; `Fixtures/Transcripts/Public/README.md` names the report
/// of each.
@Suite("Cards of public reports", .blocks, .serialized, .timeLimit(.minutes(20)))
struct PublicCardTests {
  struct Row: Sendable {
    let file: String
    /// What `tap accept` prints of the payment.
    let lines: [String]
    /// How many exchanges the payment has.
    let exchanges: Int
  }

  private static let online = "outcome: online request"

  static let rows: [Row] = [
    Row(file: "card-v01-padding-00.json", lines: [online], exchanges: 4),
    Row(
      file: "card-v04-girocard-first.json",
      lines: [
        online, "application: A0000000031010 VISA DEBIT",
        "left out: A0000003591010028001: SELECT PPSE: the card asks for kernel 2A",
      ], exchanges: 4),
    Row(file: "card-v07-pdol-9a-twice.json", lines: [online], exchanges: 4),
    Row(
      file: "card-v09-record-6a83.json",
      lines: ["outcome: end application", "reason: READ RECORD: the card answered 6A83, record not found"],
      exchanges: 4),
    Row(file: "card-v10-no-afl.json", lines: [online], exchanges: 3),
    Row(file: "card-v16-61xx-6cxx.json", lines: [online], exchanges: 8),
    Row(file: "card-v20-record-of-256.json", lines: [online], exchanges: 4),
    Row(
      file: "card-v23-visa-pdol-without-9f66.json",
      lines: [
        "outcome: end application",
        "left out: A0000000031010: SELECT AID: the list of wanted data (9F38) lacks tag 9F66, which the kernel needs",
      ], exchanges: 2),
    Row(
      file: "card-w04-mifare.json",
      lines: [
        "outcome: end application",
        "the card is of another kind: MIFARE Classic 1K, a storage card and no payment card",
      ], exchanges: 1),
    Row(
      file: "card-x02-mc-phone-cdol-73.json",
      lines: [online, "application: A0000000041010 MASTERCARD", "cryptogram: ARQC 1122334455667788, ATC 18"],
      exchanges: 5),
  ]

  let pcscd: IsolatedPCSCD
  let scratch: Scratch

  init() throws {
    pcscd = try IsolatedPCSCD()
    scratch = try Scratch()
  }

  private static func path(_ file: String) -> String { Fixtures.url("Transcripts/Public/\(file)").path }

  /// Runs `tap` at the reader with the card of a file in it.
  private func run(_ arguments: [String], with file: String) throws -> TapProgram.Run {
    let card = try ProgramRun(
      "python3", [Self.path("fakecard.py"), "127.0.0.1:\(pcscd.port)", file.contains("/") ? file : Self.path(file)])
    defer { card.signal(SIGTERM) }
    return try TapProgram.finish(
      TapProgram.start(
        [arguments[0], "--reader", "pcsc:\(pcscd.readerNames[0])"] + arguments.dropFirst(),
        environment: pcscd.environment))
  }

  @Test(arguments: rows.map(\.file))
  func `a terminal ends the payment as the report says that it should`(_ file: String) throws {
    let row = try #require(Self.rows.first { $0.file == file })
    let recording = scratch.path("tap.txt")
    let run = try run(
      ["accept", "--amount", "12.34", "--currency", "978", "--issuer", "none", "--record", recording], with: file)
    #expect(run.code == 2, "\(run.errors)")
    for line in row.lines { #expect((run.output + run.errors).contains(line), "\(run.output)\(run.errors)") }
    let commands = try String(contentsOfFile: recording, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(commands.count == row.exchanges * 2, "\(commands)")
  }

  @Test func `a list that asks for the date twice is given it twice`() throws {
    let run = try run(
      ["accept", "--amount", "12.34", "--currency", "978", "--issuer", "none", "--verbose"],
      with: "card-v07-pdol-9a-twice.json")
    #expect(run.output.components(separatedBy: "       9A Transaction Date: ").count == 3, "\(run.output)")
  }

  @Test func `a storage card is named by tap dump, which asks for no application of it twice`() throws {
    let run = try run(["dump", "--format", "json"], with: "card-w04-mifare.json")
    #expect(run.code == 2, "\(run.errors)")
    #expect(
      run.errors.contains("the card is of another kind: MIFARE Classic 1K, a storage card and no payment card"),
      "\(run.errors)")
    let commands = try #require(run.json()["exchanges"] as? [[String: Any]]).compactMap { $0["command"] as? String }
    #expect(Set(commands).count == commands.count && commands.allSatisfy { $0.hasPrefix("00A4") }, "\(commands)")
  }

  @Test func `the transaction log of a card is read up to its first missing record, and shown`() throws {
    let card = try scratch.write(
      "log.json",
      """
      {"answers": [
        {"cmd": "00A404000E325041592E5359532E4444463031",
         "resp": "6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A00000000310108701019000"},
        {"cmd": "00A4040007A0000000031010",
         "resp": "6F198407A0000000031010A50E500456495341BF0C059F4D020B059000"},
        {"cmd": "80CA9F4F00", "resp": "9F4F0A9F02065F2A029A039C019000"},
        {"cmd": "00B2015C", "resp": "0000000012340978261128009000"},
        {"cmd": "00B2025C", "resp": "0000000005000978261127209000"},
        {"cmd": "00B2035C", "resp": "6A83"}], "default": "6D00"}
      """)
    let run = try run(["dump"], with: card)
    #expect(run.code == 0, "\(run.output)\(run.errors)")
    for line in [
      "9F4D Log Entry", "9F4F Log Format", "log record", "9F02 Amount, Authorised (Numeric): 000000001234",
      "9A Transaction Date: 2026-11-27", "READ RECORD  6A83",
    ] {
      #expect(run.output.contains(line), "\(line): \(run.output)")
    }
    #expect(!run.output.contains("record 4"), "\(run.output)")
  }
}
