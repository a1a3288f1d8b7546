import Links
import Octets
import RecordingFormats
import Testing
import Transcripts

/// Frames of chips and cards that are incomplete, chained or repeated.
@Suite("Frames in logs")
struct FrameImportTests {
  /// Returns a PN53x frame, normal or extended (PN532 User Manual, 6.2.1).
  static func frame(_ hex: String, isExtended: Bool = false) throws -> [UInt8] {
    let data = try [UInt8](hex: hex)
    let count = [UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
    let lengths = isExtended ? [0xFF, 0xFF] + count + [0 &- count[0] &- count[1]] : [count[1], 0 &- count[1]]
    return [0, 0, 0xFF] + lengths + data + [0 &- data.reduce(0, &+), 0]
  }

  static func log(_ frames: [(direction: String, octets: [UInt8])]) -> String {
    frames.map { "debug\tlibnfc.bus.uart\t\($0.direction): \($0.octets.hex)\n" }.joined()
  }

  /// Frames by direction, and the exchanges that they make.
  static let exchanges: [(name: String, frames: [String], apdus: [String], notes: Int)] = [
    ("one frame each", ["TX D4400100A4", "RX D541009000"], ["00A4", "9000"], 0),
    ("an error of the chip", ["TX D4400100A4", "RX D541019000"], ["00A4", "torn"], 1),
    (
      "a command in two, the first taken without data",
      ["TX D4404100A4", "RX D54100", "TX D440010400", "RX D541009000"],
      ["00A40400", "9000"], 0
    ),
    ("a response in two", ["TX D4400100B2", "RX D541407000", "TX D44001", "RX D541009000"], ["00B2", "70009000"], 0),
    (
      "an error after half a response",
      ["TX D4400100B2", "RX D541407000", "RX D54101", "TX D4400100CA", "RX D541006A88"],
      ["00CA", "6A88"], 2
    ),
    ("an error before any command", ["RX D54101", "TX D4400100A4", "RX D541009000"], ["00A4", "9000"], 0),
    ("a card", ["RX D5870000A4", "TX D48E9000"], ["00A4", "9000"], 0),
    ("a card with a command in two", ["RX D5874000A4", "RX D587000400", "TX D48E9000"], ["00A40400", "9000"], 0),
    ("a card with a response in two", ["RX D5870000B2", "TX D4947000", "TX D48E9000"], ["00B2", "70009000"], 0),
    ("a card that lost its field", ["RX D5872900A4", "RX D5870000B2", "TX D48E6A83"], ["00B2", "6A83"], 0),
    ("half a response before a command", ["RX D541009000", "TX D4400100A4", "RX D541009000"], ["00A4", "9000"], 1),
  ]

  @Test(arguments: exchanges.indices, [false, true])
  func `APDUs are found in frames of both roles, in pieces and after errors`(_ row: Int, _ isExtended: Bool) throws {
    let (name, frames, apdus, notes) = Self.exchanges[row]
    let text = Self.log(
      try frames.map { (String($0.prefix(2)), try Self.frame(String($0.dropFirst(3)), isExtended: isExtended)) })
    let imported = try ImportedTranscript(parsing: text, as: .libnfcLog)
    #expect(ToolImportTests.apdus(imported.transcript) == apdus, "\(name)")
    #expect(imported.notes.count == notes, "\(name): \(imported.notes)")
  }

  @Test func `an extended frame of more than 255 bytes is joined from several lines`() throws {
    let data = String(repeating: "AB", count: 258)
    let answer = try Self.frame("D54100" + data + "9000", isExtended: true)
    let text =
      Self.log([("TX", try Self.frame("D4400100B2"))]) + Self.log(answer.map { ("RX", [$0]) })
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: text).transcript) == ["00B2", data + "9000"])
  }

  /// Bytes that begin like a frame: with an invalid length sum, an invalid data sum, without a command.
  @Test(arguments: [
    "0000FF0500D5410090005A00", "0000FF05FBD5410090001B00", "0000FF01FFD52B00", "0000FF05FBD54100900000",
  ])
  func `bytes that are not a frame are ignored`(_ octets: String) throws {
    let text = Self.log([
      ("TX", try Self.frame("D4400100A4")), ("RX", try [UInt8](hex: octets)), ("TX", try Self.frame("D4400100B2")),
      ("RX", try Self.frame("D541006A83")),
    ])
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: text).transcript) == ["00B2", "6A83"])
  }

  @Test func `a log without frames has a note with the log level that prints them`() throws {
    let imported = try ImportedTranscript(parsing: "debug\tlibnfc.general\tlog_level is set to 3\n")
    #expect(imported.notes.map(\.description).first?.contains("LIBNFC_LOG_LEVEL=3") == true)
  }

  @Test(arguments: ["D440410", "D541400"])
  func `a chain without an end is refused`(_ head: String) throws {
    let part = try Self.frame(head.dropLast() + String(repeating: "00", count: 250))
    let direction = head.hasPrefix("D4") ? "TX" : "RX"
    let begun = Self.log([("TX", try Self.frame("D4400100A4"))])
    let text = (direction == "RX" ? begun : "") + String(repeating: Self.log([(direction, part)]), count: 264)
    let error = #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: text, as: .libnfcLog) }
    #expect(error?.description.contains("2 to 65538 are possible") == true)
  }

  @Test func `ACR122 commands without a frame, of a wrong length or without 9000 are ignored`()
    throws
  {
    for (sent, received) in [
      ("FF00000006D4400100A4", "D5410090009000"), ("FF00000005D4400100A4", "D5410090006300"),
      ("FF00000005004001 00A4", "D5410090009000"),
    ] {
      let text = Self.log([
        ("TX", try [UInt8](hex: sent.filter { $0 != " " })), ("RX", try [UInt8](hex: received)),
      ])
      let answers = try ImportedTranscript(parsing: text, as: .libnfcLog).transcript.exchanges.compactMap(\.response)
      #expect(answers.isEmpty, "\(sent)")
    }
  }

  /// Frames of a Proxmark trace with their start; `!` stands for an invalid checksum.
  static func trace(_ frames: [(start: UInt32, isOfCard: Bool, hex: String)]) throws -> [UInt8] {
    try frames.flatMap { start, isOfCard, hex in
      var record = ToolImportTests.record(start, isOfCard: isOfCard, try [UInt8](hex: hex.filter { $0 != "!" }))
      if hex.hasSuffix("!") { record[8 + hex.count / 2] ^= 0xFF }
      return record
    }
  }

  @Test func `a frame with an invalid checksum tears its response, not the next one`() throws {
    let octets = try Self.trace([
      (0, false, "E080"), (100, true, "057880"), (200, false, "0200B2"), (300, true, "126F00!"),
      (400, true, "039000"), (500, false, "0200A4"), (600, true, "036A83"),
    ])
    let imported = try ImportedTranscript(parsing: octets)
    #expect(imported.format == .proxmarkTrace)
    #expect(ToolImportTests.apdus(imported.transcript) == ["00A4", "6A83"])
    #expect(imported.notes.count == 2)
    #expect(imported.transcript.exchanges.first?.notes.contains(.comment("ATS: 057880")) == true)
  }

  @Test func `card identifiers and node addresses are removed, and block numbers start again after RATS`() throws {
    let octets = try Self.trace([
      (0, false, "E080"), (100, true, "0578"), (200, false, "0A0100A4"), (300, true, "0E01009000"),
      (400, false, "E080"), (500, true, "0578"), (600, false, "0A0100A4"), (700, true, "06006A82"),
    ])
    let transcript = try ImportedTranscript(parsing: octets).transcript
    #expect(ToolImportTests.apdus(transcript) == ["00A4", "9000", "00A4", "6A82"])
    // 400 periods of 13.56 MHz later, by the clock of the trace.
    #expect(transcript.exchanges.map(\.arrival) == [0, 29_498])
    // 100 periods from start to start are less than the 256 of a frame, so there is no time.
    #expect(transcript.exchanges.map(\.nanoseconds) == [nil, nil])
  }

  @Test func `frames of type B are recognised by their checksum (ISO/IEC 14443-3, annex B)`() throws {
    // The annex gives the checksums 2C F6 for 0A 12 34 56 and CC C6 for 00 00 00.
    var octets = try Self.trace([(0, false, "0A123456"), (100, true, "029000")])
    octets.replaceSubrange(12..<14, with: [0x2C, 0xF6])
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: octets).transcript) == ["3456", "9000"])
    octets[12] ^= 1
    #expect(try ImportedTranscript(parsing: octets, as: .proxmarkTrace).transcript.exchanges.isEmpty)
  }

  @Test func `the clock of 32 bits overflows, and a step back is ignored`() throws {
    let octets = try Self.trace([
      (0xFFFF_FF00, false, "0200A4"), (0x0000_1000, true, "029000"), (0x0000_0800, false, "0300B2"),
      (0x0000_2000, true, "036A83"),
    ])
    let transcript = try ImportedTranscript(parsing: octets).transcript
    #expect(transcript.exchanges.map(\.arrival) == [0, 320_943])
    // 4352 and 6144 periods, less the 256 of the command.
    #expect(transcript.exchanges.map(\.nanoseconds) == [302_064, 434_218])
  }

  @Test func `the duration of long frames follows from the number of their bytes`() throws {
    let command = "02" + String(repeating: "AB", count: 60)
    let octets = try Self.trace([(0, false, command), (100_000, true, "029000")])
    let transcript = try ImportedTranscript(parsing: octets).transcript
    // 63 bytes: (9 * 63 + 2) * 128 = 72832 periods.
    #expect(transcript.exchanges.first?.nanoseconds == 2_003_539)
  }

  @Test func `text, and records without a frame, are not recognised as a trace`() throws {
    #expect(RecordingFormat.guess(Array("00A40400\n9000\n00B2010C00\n6A83\n".utf8)) != .proxmarkTrace)
    let empty = [UInt8](repeating: 0, count: 64)
    #expect(RecordingFormat.guess(empty) != .proxmarkTrace)
    let one = try Self.trace([(0, false, "0200A4")])
    #expect(RecordingFormat.guess(one) == .proxmarkTrace)
    #expect(RecordingFormat.guess(one + [0]) != .dump)
  }

  static let list = """
    {"source": "a", "ats": "0578", "exchanges": [
      {"capdu": "00A4", "rapdu": "9000", "pcd_start_ms": 1000.5, "final_iblock_start_after_cmd_end_ms": 1.25},
      {"capdu": "00B2", "rapdu": "7000", "pcd_start_ms": 999, "final_iblock_start_after_cmd_end_ms": 1e12},
      {"capdu": "00CA", "rapdu": "6A88", "pcd_start_ms": 1002.75, "rapdu_truncated": false},
      {"capdu": "80CA", "rapdu": "6F33", "rapdu_truncated": true}
    ]}
    """

  @Test func `times of a Proxmark list start at its first command, and impossible times are left out`() throws {
    let imported = try ImportedTranscript(parsing: Self.list)
    let exchanges = imported.transcript.exchanges
    #expect(imported.format == .proxmarkAPDUList)
    #expect(exchanges.map(\.arrival) == [0, nil, 2_250_000, nil])
    #expect(exchanges.map(\.nanoseconds) == [1_250_000, nil, nil, nil])
    #expect(exchanges.last?.response == nil && exchanges.last?.tornCode == .transmissionFailed)
    #expect(exchanges.first?.notes.prefix(2) == [.comment("source: a"), .comment("ATS: 0578")])
  }
}
