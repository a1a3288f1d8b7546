import EMVData
import ISO7816
import Octets
import Testing
import Transcripts

@Suite("Redaction")
struct RedactionTests {
  /// The first substitute of an account number of 16 digits.
  static let substitute = "9999900000000013"

  static func redacted(_ pairs: [(String, String)], by redaction: Redaction = .complete) throws -> [String] {
    let exchanges = try pairs.map { Transcript.Exchange(command: try [UInt8](hex: $0), response: try [UInt8](hex: $1)) }
    return Transcript(exchanges: exchanges).redacted(by: redaction).exchanges.flatMap {
      [$0.command.hex, $0.response?.hex ?? ""]
    }
  }

  @Test func `a number has one substitute in all data elements; lengths, expiry and service code stay`() throws {
    let lines = try Self.redacted(SampleTap.pairs)
    let zeros = String(repeating: "0", count: 15)
    #expect(
      lines[0..<5] == [SampleTap.ppse, SampleTap.directory, SampleTap.select, SampleTap.application, SampleTap.options])
    #expect(lines[5].hasSuffix("5713" + Self.substitute + "D2212201" + zeros.dropLast(2) + "F" + "9000"))
    #expect(lines[7] == "701C5A08" + Self.substitute + "5F200558585858585F3401015F24032212319000")
    #expect(zip(lines, SampleTap.pairs.flatMap { [$0.0, $0.1] }).allSatisfy { $0.count == $1.count })
    #expect(PrimaryAccountNumber(digits: Self.substitute)?.hasValidCheckDigit == true)
  }

  @Test func `a redacted recording replays on the terminal's side`() throws {
    var channel = ReplayChannel(SampleTap.transcript.redacted())
    for (command, _) in SampleTap.pairs { _ = try channel.send(command) }
    #expect(channel.finish() == nil)
  }

  static let cases: [(String, String)] = [
    ("5A084761739001010010", "5A089999900000000013"),
    ("5A0A4761739001010010FFFF", "5A0A9999900000000013FFFF"),
    ("5A0847617390010100FA", "5A080000000000000000"),
    ("57124761739001010010D221220111438044000F", "57129999900000000013D221220100000000000F"),
    ("57084761739001010010", "57080000000000000000"),
    ("9F6B114761739001010010D22122010000000F00", "9F6B119999900000000013D22122010000000000"),
    ("5F2004444F452F", "5F200458585858"), ("9F0B04444F452F", "9F0B0400000000"), ("9F1F0431323334", "9F1F0430303030"),
    ("5F530444453132", "5F530430303030"), ("9F240431323334", "9F240400000000"), ("9F4604DEADBEEF", "9F460400000000"),
    ("9304DEADBEEF", "930400000000"), ("9F2D04DEADBEEF", "9F2D0400000000"),
    ("9F26085B3617315A36DABD", "9F26085B3617315A36DABD"), ("DF2004DEADBEEF", "DF2004DEADBEEF"),
    ("DF20071234567890123A", "DF20070000000000000A"), ("DF2006123456789012", "DF2006123456789012"),
    (
      "561A42343736313733393030313031303031305E444F455E32323132",
      "561A42393939393930303030303030303031335E5858585E32323132"
    ),
    ("5604DEADBEEF", "560400000000"),
  ]

  @Test(arguments: cases)
  func `each data element is redacted and keeps its length`(
    _ element: String, _ redacted: String
  ) throws {
    let count = UInt8(element.count / 2).hex
    let lines = try Self.redacted([("00B2010C00", "70" + count + element + "9000")])
    #expect(lines[1] == "70" + count + redacted + "9000")
  }

  @Test func `a record that is not a template becomes zeros, and its status word stays`() throws {
    for (record, expected) in [
      ("6725904415000011119000", "0000000000000000009000"), ("5A0847617390010100109000", "000000000000000000009000"),
      ("70045A0247619F269000", "00000000000000009000"), ("6A83", "6A83"), ("9000", "9000"),
    ] {
      #expect(try Self.redacted([("00B201BC00", record)])[1] == expected)
    }
  }

  @Test func `bytes after a malformed place become zeros, and a cut response is redacted`()
    throws
  {
    // The response ends within 5A and has no status word.
    #expect(try Self.redacted([("80A8000002830000", "77205A0A476173900101")])[1] == "7720" + "0000000000000000")
    #expect(try Self.redacted([("80A8000002830000", "770A5711476173900101D2")])[1].contains("476173") == false)
    #expect(try Self.redacted([("80A8000002830000", "77079F3602002D9F9000")])[1] == "77079F3602002D009000")
  }

  @Test func `responses without structure become zeros, except a random number`() throws {
    #expect(try Self.redacted([("00B0000000", "47617390010100109000")])[1] == "00000000000000009000")
    #expect(try Self.redacted([("00B0000000", "AA4761739001010010FF9000")])[1] == "000000000000000000009000")
    #expect(try Self.redacted([("0084000000", "0102DEADBEEF03049000")])[1] == "0102DEADBEEF03049000")
    #expect(try Self.redacted([("80CADF2000", "DF200180 9000")])[1] == "DF2001809000")
  }

  @Test func `a response in several parts is redacted as a whole`() throws {
    let lines = try Self.redacted([
      ("00B2010C00", "70 0A 5A 08 47 61 73 6105"), ("00C0000005", "90 01 01 00 10 9000"),
    ])
    #expect(lines[1] == "700A5A089999906105")
    #expect(lines[3] == "00000000139000")
    let open = try Self.redacted([("00B2010C00", "70 0A 5A 08 47 61 73 90 01 01 6105")])
    #expect(open[1].contains("4761") == false)
  }

  @Test func `account numbers in commands are redacted, and transaction data of the terminal stay`() throws {
    let lines = try Self.redacted([
      (
        SampleTap.select,
        "6F198407A0000000031010A50E9F380B9F66049F02069F37045A06" + "9000"
      ),
      ("00DC010C0A5A084761739001010010", "9000"), ("00E20000084761739001010010", "9000"),
      ("80A80000168314" + "36004000" + "000000001234" + "124D3DCA" + "476173900101", "6985"),
    ])
    #expect(lines[2] == "00DC010C0A5A08" + Self.substitute)
    #expect(lines[4] == "00E2000008" + Self.substitute)
    #expect(lines[6] == "80A80000168314" + "36004000" + "000000001234" + "124D3DCA" + "999990000021")
  }

  @Test func `each number has its own substitute`() throws {
    let lines = try Self.redacted([
      ("00B2010C00", "700A5A0847617390010100109000"), ("00B2020C00", "700A5A0841111111111111119000"),
      ("00B2030C00", "700A5A0847617390010100109000"), ("00B2040C00", "700A5A08378282246310005F9000"),
    ])
    #expect(lines[1] == lines[5])
    #expect(lines[1] != lines[3])
    #expect(lines[7].hasPrefix("700A5A0899999") && lines[7].hasSuffix("F9000"))
  }

  @Test func `account numbers of test cards stay, others do not`() throws {
    let spare = Redaction { $0.exposedDigits == SampleTap.pan }
    #expect(SampleTap.transcript.redacted(by: spare) == SampleTap.transcript)
    var mixed = SampleTap.transcript
    mixed.exchanges.append(
      Transcript.Exchange(
        command: try [UInt8](hex: "00B2020C00"), response: try [UInt8](hex: "700A5A0841111111111111119000")))
    let text = mixed.text(redactedBy: spare)
    #expect(text.contains("5A084761739001010010"))
    #expect(!text.contains("4111111111111111"))
    #expect(!text.contains("444F45"))
    #expect(Redaction { _ in true }.redacted(Transcript(exchanges: [])) == Transcript(exchanges: []))
  }

  @Test func `numbers and names in comments and directives are redacted, and the card profile is removed`() throws {
    var transcript = SampleTap.transcript
    transcript[.card] = #"{"name":"DOE/J","pan":"4761739001010010"}"#
    transcript[.terminal] =
      #"{"merchant":"4761739001010010","exception":["4111-1111-1111-1111"],"key":"A4761739001010011A"}"#
    transcript.random = [0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11]
    transcript.exchanges[0].notes = [
      .comment("4761 7390 0101 0010 of DOE/J on 2026-01-31 at 12:34")
    ]
    transcript.exchanges[1].notes = [.directive("note", "5A084761739001010010")]
    transcript.closingNotes = [
      .comment("B4111111111111111^DOE/J^"), .comment("444F452F4A 3437363137333930303130313030 3130"),
    ]
    let redacted = transcript.redacted()
    let text = redacted.text
    for secret in ["4761739001010010", "4761 7390", "4111-1111", "B41111", "DOE", "444F45"] {
      #expect(!text.contains(secret), "\(secret)")
    }
    #expect(redacted[.card] == nil)
    #expect(redacted.random == transcript.random)
    #expect(redacted[.terminal]?.contains("A4761739001010011A") == true)
    #expect(redacted.exchanges[0].notes.first?.text.hasPrefix("9999 9000 0000 0013 of XXXXX on 2026-01-31") == true)
    #expect(try Transcript(parsing: text) == redacted)
    #expect(redacted.redacted() == redacted)
  }

  @Test func `a card profile of a test card with 15 digits stays, and redaction still finds its number`() throws {
    // 57374245001751006 has a valid check digit too.
    let transcript = try Transcript(parsing: "#@ card: {\"data\":\"57 374245001751006D3012\"}\n00A40400\n6A82\n")
    #expect(transcript.redacted()[.card] == nil)
    #expect(transcript.redacted(by: Redaction { $0.exposedDigits == "374245001751006" })[.card] != nil)
    let noted = try Transcript(parsing: "# 57 374245001751006\n00A40400\n6A82\n").redacted().text
    #expect(!noted.contains("374245001751006"))
  }

  @Test func `a card profile stays only with a test card`() throws {
    var transcript = try Transcript(parsing: "#@ card: {\"pan\":\"4761739001010010\"}\n00A40400\n6A82\n")
    #expect(transcript.redacted()[.card] == nil)
    #expect(transcript.redacted(by: Redaction { $0.exposedDigits == SampleTap.pan })[.card] != nil)
    transcript[.card] = "{\"pan\":\"none\"}"
    #expect(transcript.redacted(by: Redaction { $0.exposedDigits == SampleTap.pan })[.card] == nil)
  }
}
