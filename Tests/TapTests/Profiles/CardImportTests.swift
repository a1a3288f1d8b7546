import Fixtures
import Foundation
import TestSupport
import Testing

/// `tap card import` with the files of other tools; `Fixtures/Transcripts/Saved/README.md` names the form of each.
@Suite("tap card import", .blocks, .timeLimit(.minutes(20)))
struct CardImportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static func path(_ file: String) -> String { Fixtures.url("Transcripts/Saved/\(file)").path }

  private func imported(_ file: String, _ options: String...) throws -> (profile: String, run: TapProgram.Run) {
    let profile = scratch.path("\(UUID().uuidString).json")
    return (profile, try TapProgram.finish(TapProgram.start(["card", "import", file, "-o", profile] + options)))
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test(arguments: ["emv-scan.json", "emv-scan-elements.json"])
  func `a scan of a Proxmark becomes a profile that pays`(_ file: String) throws {
    let (profile, run) = try imported(Self.path(file))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("taken for Proxmark EMV scan"), "\(run.errors)")
    #expect(run.errors.contains("the file has no commands"), "\(run.errors)")
    #expect(run.errors.contains("the values of GET PROCESSING OPTIONS are not in the file"), "\(run.errors)")
    #expect(run.errors.contains("the draft has aip 0000 in place of 2000"), "\(run.errors)")
    let paid = try TapProgram.accept("loopback:\(profile)", amount: "12.34", currency: "978")
    #expect(paid.code == 0 && paid.output.contains("outcome: approved"), "\(paid.output)\(paid.errors)")
  }

  @Test func `a scan of a Proxmark is decoded, exchange by exchange`() throws {
    let run = try TapProgram.run("decode", Self.path("emv-scan.json"))
    #expect(run.code == 0, "\(run.errors)")
    for line in ["READ RECORD: 00B2010C", "9F10 Issuer Application Data", "9F66 Terminal Transaction Qualifiers"] {
      #expect(run.output.contains(line), "\(line): \(run.output)")
    }
  }

  @Test func `a card saved by Flipper becomes a profile that pays, and what is missing is named`() throws {
    let (profile, run) = try imported(Self.path("flipper-emv.nfc"))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.errors.contains("a card saved by Flipper (EMV)"), "\(run.errors)")
    #expect(
      run.errors.contains(
        "not in the file, and taken from the shipped card visa: PDOL, records and their list, track 2 beyond number and date"
      ),
      "\(run.errors)")
    #expect(run.errors.contains("tag 5F25 of the file is left out"), "\(run.errors)")
    let text = try text(profile)
    #expect(run.errors.contains("the profile has aip 0000 in place of 2000"), "\(run.errors)")
    for value in ["5F24 311130", "5F28 0276", "D3111", "\"aip\": \"0000\"", "5F20 544553542F43415244"] {
      #expect(text.contains(value), "\(value): \(text)")
    }
    let paid = try TapProgram.accept("loopback:\(profile)", amount: "12.34", currency: "978")
    #expect(paid.code == 0 && paid.output.contains("outcome: approved"), "\(paid.output)\(paid.errors)")
  }

  @Test func `the number of a card that is no test card is kept on demand only`() throws {
    let file = Self.path("flipper-bank-card.nfc")
    let own = try scratch.write("own.nfc", try text(file).replacingOccurrences(of: "15 13", with: "15 21"))
    let (profile, run) = try imported(own)
    #expect(run.code == 0 && run.errors.contains("the account number is that of the shipped card"), "\(run.errors)")
    #expect(try !text(profile).contains("5413339000001521"))
    #expect(run.errors.contains("taken from the shipped card mastercard: expiry date"), "\(run.errors)")
    let (whole, all) = try imported(own, "--unredacted")
    #expect(all.code == 0, "\(all.errors)")
    #expect(try text(whole).contains("5413339000001521"))
  }

  @Test(arguments: ["decode", "convert"])
  func `a saved card that is taken for a recording names the command for it`(_ command: String) throws {
    let options = command == "convert" ? ["--to", "dump"] : []
    let run = try TapProgram.finish(TapProgram.start([command, Self.path("flipper-emv.nfc")] + options))
    #expect(run.code == 2, "\(run.output)")
    #expect(run.errors.contains("it is a card saved by Flipper (EMV): tap card import is for it"), "\(run.errors)")
  }

  @Test func `a recording becomes a profile`() throws {
    let (profile, run) = try imported(Fixtures.url("Transcripts/visa-cvn18-terminal.txt").path)
    #expect(run.code == 0, "\(run.errors)")
    let paid = try TapProgram.accept("loopback:\(profile)", amount: "12.34", currency: "978")
    #expect(paid.code == 0, "\(paid.output)\(paid.errors)")
  }

  @Test(arguments: [
    ("flipper-classic.nfc", "it is Mifare Classic, not EMV: it holds no application"),
    ("classic-1k.eml", "it is a storage card, which has no application"),
    ("classic-1k.json", "it is a storage card, which has no application"),
    ("../Pasted/desfire.txt", "were tried"), ("../Pasted/opensctwo.txt", "no such file"),
    ("../Pasted/gscriptor.txt", "no application gave enough for a profile"),
  ])
  func `a file with too little, or of another kind of card, is refused with the reason`(
    _ file: String, _ reason: String
  ) throws {
    let (profile, run) = try imported(Self.path(file))
    #expect(run.code == (reason == "no such file" ? 1 : 2), "\(run.errors)")
    #expect(run.errors.lowercased().contains(reason.lowercased()), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: profile))
  }

  @Test(arguments: [
    ("AID length: 7\nAID: A0 00 00 00 03 10 10\n", "", "it holds no application (AID)"),
    ("A0 00 00 00 03 10 10", "A0 00 00 99 99 10 10", "is of no scheme that has a shipped card"),
    ("47 61 73 90 01 01 00 10", "47 61 73 90 01 01 00 11", "check digit"),
    ("PAN: 47 61 73 90 01 01 00 10", "PAN: 47 61 73 90 01 01 00", "14 characters"),
  ])
  func `a saved card without what a profile needs is refused with the reason`(
    _ found: String, _ replacement: String, _ reason: String
  ) throws {
    let changed = try text(Self.path("flipper-emv.nfc")).replacingOccurrences(of: found, with: replacement)
    let (_, run) = try imported(try scratch.write("changed.nfc", changed), "--unredacted")
    #expect(run.code == 2 && run.errors.contains(reason), "\(run.errors)")
  }
}
