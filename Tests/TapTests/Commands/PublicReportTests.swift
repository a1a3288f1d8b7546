import Fixtures
import Foundation
import TestSupport
import Testing

/// What people paste when they ask for help, as `tap decode` reads it; `Fixtures/Transcripts/Public/README.md` names the
/// report of each.
@Suite("tap decode and public reports", .blocks, .timeLimit(.minutes(20)))
struct PublicReportTests {
  struct Row: Sendable {
    let file: String
    let lines: [String]
    var code: Int32 = 0
  }

  static let rows: [Row] = [
    Row(file: "31-colon-digits.txt", lines: ["taken for R-APDU", "9A Transaction Date, 3 bytes"]),
    Row(file: "40-padding-ff-in-record.hex", lines: ["5F34 ", "9F57 "]),
    Row(
      file: "42-length-over-127-in-one-byte.hex",
      lines: ["70 ", "the length 8F at offset 1 is not BER: a length above 127 begins with 81, as in 818F"], code: 2),
    Row(file: "43-currency-empty.hex", lines: ["9F42 Application Currency Code"]),
    Row(file: "45-df8116-df8129.hex", lines: ["DF8116 ", "DF8129 "]),
    Row(
      file: "47-df-constructed-look.hex", lines: ["DF0201", "DF0007", "DF0105", "DF0505"].map { String($0.prefix(4)) }),
    Row(file: "48-pdol-9a-twice.hex", lines: ["9A Transaction Date, 3 bytes"]),
    Row(
      file: "49-read-record-extra-lc.hex", lines: ["taken for C-APDU", "READ RECORD: 00B2010C", "malformed"], code: 2),
    Row(file: "50-gpo-without-le.hex", lines: ["GET PROCESSING OPTIONS: 80A80000"]),
    Row(file: "52-gpo-template77.hex", lines: ["SFI 2, records 2 to 5"]),
    Row(file: "53-maestro-long-aid.hex", lines: ["Maestro, Mastercard", "kernel 2, Mastercard"]),
    Row(
      file: "54-magstripe-record.hex",
      lines: ["9F66 PUNATC (Track 2): 03F0", "9F6C Mag-stripe Application Version Number, card: 0001"]),
    Row(file: "55-fci-asrpd-bf63.hex", lines: ["9F0A ", "0001: 0100000000", "BF63 "]),
    Row(file: "57-iad-mchip.hex", lines: ["9F10 Issuer Application Data"]),
    Row(file: "59-padding-00-in-fci.hex", lines: ["84 ", "A5 "]),
    Row(file: "60-ppse-eftpos-first.hex", lines: ["eftpos (Australia)", "Visa"]),
    Row(file: "61-ppse-girocard-2a.hex", lines: ["kernel 2A, girocard", "Maestro, Mastercard"]),
    Row(
      file: "62-ppse-troy-2b-mada-bancontact.hex",
      lines: ["TROY", "kernel 2B, ", "mada (Saudi Arabia)", "Bancontact (Belgium)"]),
    Row(file: "64-ppse-same-priority.hex", lines: ["priority 1"]),
    Row(file: "66-gen-ac-shorter-than-cdol.txt", lines: ["9F7C has 20 bytes in the list, but 14 are left"], code: 2),
    Row(
      file: "67-isd-9f65.txt",
      lines: ["9F65 Maximum Length of Data Field in Command Message: FF", "issuer security domain"]),
    Row(
      file: "73-ats-of-a-card.hex", lines: ["taken for ATS", "frames of 256 bytes (FSCI 8)", "FWI 7, SFGI 0", "CID"]),
    Row(
      file: "79-apdu-extended-length-one-zero-missing.hex",
      lines: ["taken for C-APDU", "SELECT: 00A40400", "malformed"],
      code: 2),
  ]

  @Test func `a certificate authority's key with one wrong byte is found in a terminal profile`() throws {
    let run = try TapProgram.run("terminal", "check", Self.path("72-terminal-capk-one-digit-wrong.json"))
    #expect(run.code == 2, "\(run.output)\(run.errors)")
  }

  @Test func `the answer to reset of a storage card names the card`() throws {
    let text = String(decoding: try Fixtures.data("Transcripts/Public/card-w04-mifare.json"), as: UTF8.self)
    let digits = try #require(text.components(separatedBy: "\"atr\": \"").last?.prefix { $0 != "\"" })
    let run = try TapProgram.run("decode", String(digits))
    #expect(run.output.contains("MIFARE Classic 1K, a storage card and no payment card"), "\(run.output)")
  }

  @Test func `redaction keeps what a security domain says of its command length`() throws {
    let run = try TapProgram.run("redact", Self.path("67-isd-9f65.txt"))
    #expect(
      run.code == 0 && run.output.contains("6F108408A000000003000000A5049F6501FF9000"), "\(run.output)\(run.errors)")
  }

  @Test(arguments: [
    (["9F6E04D8E00000", "--application", "A000000025010801"], "9F6E Enhanced Contactless Reader Capabilities"),
    (["9F660203F0", "--application", "A0000000041010"], "9F66 PUNATC (Track 2)"),
    (["80A8000006830436004000", "--pdol", "9F6604"], "9F66 Terminal Transaction Qualifiers"),
    (["80AE80000600000000123400", "--cdol", "9F0206"], "9F02 Amount, Authorised"),
    (["9F6E04D8E00000"], "for American Express: Enhanced Contactless Reader Capabilities"),
    (["9F6E0708400000303000"], "for Mastercard: Third Party Data"),
  ])
  func `the context of a lone command or data object is given, or each reading is named`(
    _ arguments: [String], _ text: String
  ) throws {
    let run = try TapProgram.finish(TapProgram.start(["decode"] + arguments))
    #expect(run.output.contains(text), "\(run.output)\(run.errors)")
  }

  @Test func `digits of unknown meaning are shown, but for a number with a right check digit`() throws {
    let shown = try TapProgram.run("decode", "F11234567890123456AA")
    #expect(shown.output.contains("1234567890123456"), "\(shown.output)")
    let hidden = try TapProgram.run("decode", "F14761739001010010AA")
    #expect(!hidden.output.contains("4761739001010010"), "\(hidden.output)")
    let all = try TapProgram.run("decode", "--unredacted", "F14761739001010010AA")
    #expect(all.output.contains("4761739001010010"), "\(all.output)")
  }

  static func path(_ file: String) -> String { Fixtures.url("Transcripts/Public/\(file)").path }

  /// Reports that another suite has, with its file.
  static let elsewhere: [String: String] = [
    "92-request-aaid-as-text.json": "FIDOUAFTests/MessageTests.swift",
    // What a server accepts of a list decides its own issue.
    "90-facets-list-version-1.0.json": "",
  ]

  @Test func `each report has a row in a suite`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    func text(_ path: String) throws -> String {
      try String(contentsOf: tests.appending(path: path), encoding: .utf8)
    }
    let logs = try text("RecordingFormatsTests/PublicLogTests.swift")
    // The list itself is no row.
    let here = try text("TapTests/Commands/PublicReportTests.swift").split(separator: "\n")
      .filter { !Self.elsewhere.keys.contains(where: $0.contains) }.joined()
    let cards = Set(PublicCardTests.rows.map(\.file))
    let files = try Fixtures.names(in: "Transcripts/Public", ending: "").filter {
      $0 != "README.md" && $0 != "fakecard.py"
    }
    #expect(files.count > 60)
    for file in files {
      let path = Self.elsewhere[file]
      let isElsewhere = try path.map { try $0.isEmpty || text($0).contains(file) } ?? false
      #expect(
        isElsewhere || cards.contains(file) || logs.contains("\"\(file)\"") || here.contains(file), "\(file) has no row"
      )
    }
    for file in Self.elsewhere.keys { #expect(files.contains(file), "\(file) is no report") }
  }

  @Test(arguments: rows.map(\.file))
  func `each paste is decoded, or malformed with a reason`(_ file: String) throws {
    let row = try #require(Self.rows.first { $0.file == file })
    let run = try TapProgram.run("decode", Self.path(file))
    #expect(run.code == row.code, "\(run.errors)")
    for line in row.lines { #expect(run.output.contains(line), "\(line): \(run.output)") }
  }

  /// The same response in the forms of programs and languages.
  static var pasted: [String] {
    get throws {
      String(decoding: try Fixtures.data("Transcripts/Public/76-pasted-forms.txt"), as: UTF8.self).split(
        separator: "\n"
      )
      .compactMap { $0.split(separator: "|", maxSplits: 1).last.map(String.init) }
    }
  }

  @Test func `bytes are decoded in each form in which people paste them`() throws {
    let forms = try Self.pasted
    #expect(forms.count == 12)
    for form in forms {
      let run = try TapProgram.run("decode", form)
      #expect(run.code == 0 && run.output.hasPrefix("taken for R-APDU\n"), "\(form): \(run.output)\(run.errors)")
      #expect(run.output.contains("A0000000043060C123456789"), "\(form): \(run.output)")
    }
  }

  @Test func `the exchanges of a log are shown while another program writes it`() throws {
    let scratch = try Scratch()
    let (pipe, shown) = (scratch.path("pipe"), scratch.path("shown"))
    // The second command is written after the first exchange was shown, so only a program that does not wait for the end
    // of its input can print both.
    let script = """
      mkfifo \(pipe)
      \(TapProgram.path) decode - < \(pipe) > \(shown) &
      exec 3> \(pipe)
      echo '00000003 APDU: 00 B2 01 0C 00' >&3
      echo '00004000 SW: 6A 83' >&3
      until grep -q 6A83 \(shown); do sleep 0.05; done
      echo '00000003 APDU: 00 B2 02 0C 00' >&3
      echo '00004000 SW: 69 85' >&3
      until grep -q 6985 \(shown); do sleep 0.05; done
      exec 3>&-
      wait
      cat \(shown)
      """
    let run = try TapProgram.finish(ProgramRun("bash", ["-c", script]))
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.contains("1. READ RECORD  6A83") && run.output.contains("2. READ RECORD  6985"), "\(run.output)")
  }

  @Test func `the live pipe of the article prints what the article shows`() throws {
    let article = ExampleTests.root.appending(path: "Sources/Contactless.docc/TheProgramTap.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("(head -n 5") })
    let shown = try #require(text.components(separatedBy: "```text\n").dropFirst().first)
      .components(separatedBy: "```\n")[0]
    let folder = TapProgram.path.dropLast("/tap".count)
    let scratch = try Scratch()
    let output = scratch.path("shown")
    // The writer pauses until its lines were shown.
    let pause = "until grep -q 'Lc: 14' '\(output)'; do sleep 0.05; done"
    let pipe = line.replacingOccurrences(of: "sleep 1", with: pause)
    let script = "cd '\(ExampleTests.root.path)' && PATH=\"\(folder):$PATH\" && \(pipe) > '\(output)'; cat '\(output)'"
    let run = try TapProgram.finish(ProgramRun("sh", ["-c", script]))
    #expect(run.code == 0 && run.output.hasPrefix(shown), "\(run.output)\(run.errors)")
  }

  @Test func `a log that ends is decoded as a file`() throws {
    let file = Self.path("03-pcscd-journal.txt")
    let piped = try TapProgram.finish(ProgramRun("sh", ["-c", "cat \(file) | \(TapProgram.path) decode -"]))
    #expect(try piped.output == TapProgram.run("decode", file).output)
  }

  @Test func `a refusal names the formats that were tried`() throws {
    let scratch = try Scratch()
    let run = try TapProgram.run("convert", scratch.write("letter.txt", "Dear all,\nit fails.\n"), "--to", "dump")
    #expect(run.code == 2)
    #expect(run.errors.contains("were tried") && run.errors.contains("log, pcsc-spy"), "\(run.errors)")
  }

  @Test func `the lines that are no part of an exchange are counted`() throws {
    let run = try TapProgram.run("convert", Self.path("08b-gp-windows-prompt.txt"), "--to", "dump")
    #expect(run.errors.contains("taken for log, 8 other lines left out"), "\(run.errors)")
  }
}
