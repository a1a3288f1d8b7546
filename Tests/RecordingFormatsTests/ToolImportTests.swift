import Fixtures
import Foundation
import Links
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

@Suite("Logs of other tools")
struct ToolImportTests {
  /// Files with the same payment, and the format of each.
  static let payment: [(file: String, syntax: RecordingFormat)] = [
    ("Transcripts/Tools/pcscd.log", .log), ("Transcripts/Tools/pcsc-spy.log", .pcscSpyLog),
    ("Transcripts/Tools/pcsc-spy-printed.txt", .pcscSpyLog), ("Transcripts/Tools/libnfc-initiator.log", .libnfcLog),
    ("Transcripts/Tools/libnfc-target.log", .libnfcLog), ("Transcripts/Tools/scriptor-output.txt", .log),
    ("Transcripts/Tools/opensc-tool.txt", .log), ("Transcripts/Tools/cardpeek.log", .cardpeekLog),
    ("Transcripts/Tools/pyscard.txt", .log), ("Transcripts/Tools/apdu4j.log", .log),
    ("Transcripts/Tools/apdu4j-dump.txt", .dump),
  ]
  static let samples: [(file: String, syntax: RecordingFormat)] =
    payment + [
      ("Transcripts/Tools/visa.scriptor", .scriptorScript),
      ("Vectors/proxmark3/hf_visa_apple_normal.trace", .proxmarkTrace),
      ("Vectors/proxmark3/hf_visa_apple_normal.apdu.json", .proxmarkAPDUList),
    ]

  static func octets(_ path: String) throws -> [UInt8] { [UInt8](try Fixtures.data(path)) }
  static func apdus(_ transcript: Transcript) -> [String] {
    transcript.exchanges.flatMap { [$0.command.hex, $0.response?.hex ?? "torn"] }
  }
  static func recorded(_ path: String) throws -> Transcript { try Transcript(parsing: ImportTests.text(path)) }

  @Test(arguments: samples)
  func `the format of every sample is recognised, and its name is unique`(
    _ file: String, _ syntax: RecordingFormat
  ) throws {
    #expect(RecordingFormat.guess(try Self.octets(file)) == syntax)
    #expect(RecordingFormat.shipped.filter { $0.name == syntax.name } == [syntax])
  }

  @Test(arguments: payment)
  func `the same payment is read from the log of every tool`(_ file: String, _ syntax: RecordingFormat) throws {
    let imported = try ImportedTranscript(parsing: Self.octets(file))
    #expect(imported.format == syntax)
    let expected = Self.apdus(try Self.recorded("Transcripts/visa-cvn18-terminal.txt"))
    #expect(expected.count == 10)
    #expect(Self.apdus(imported.transcript) == expected)
    #expect(imported.notes.isEmpty)
    #expect(try Transcript(parsing: imported.transcript.text) == imported.transcript)
  }

  @Test(arguments: ["pcscd.log", "scriptor-output.txt", "cardpeek.log", "apdu4j-dump.txt"])
  func `the answer to reset of a log is kept`(_ file: String) throws {
    let imported = try ImportedTranscript(parsing: Self.octets("Transcripts/Tools/" + file))
    #expect(imported.transcript.identity.answerToReset.hex == "3B80800101")
  }

  @Test func `times are those of the tool's clock`() throws {
    let daemon = try ImportedTranscript(parsing: Self.octets("Transcripts/Tools/pcscd.log")).transcript
    #expect(daemon.exchanges.map(\.nanoseconds) == [110_000, 24_000, 86_000, 23_000, 41_000])
    #expect(daemon.exchanges.map(\.arrival) == [0, 194_000, 276_000, 399_000, 454_000])
    let spy = try ImportedTranscript(parsing: Self.octets("Transcripts/Tools/pcsc-spy.log")).transcript
    #expect(spy.exchanges.first?.nanoseconds == 217_000)
    #expect(spy.exchanges.dropFirst().first?.arrival == 220_000)
  }

  @Test func `a script without responses keeps its last command, with a note for the others`() throws {
    let imported = try ImportedTranscript(parsing: Self.octets("Transcripts/Tools/visa.scriptor"))
    #expect(imported.transcript.exchanges.count == 1)
    #expect(imported.notes.count == 4)
    #expect(imported.notes.first?.description == "line 3: left out: a command without a response, header 00A40400")
  }

  /// Returns a libnfc log of an ACR122, made after the source of its drivers, not with such a reader.
  static func acr122Log(_ transcript: Transcript, usb: Bool) -> String {
    func line(_ direction: String, _ kind: UInt8, _ body: [UInt8]) -> String {
      let header: [UInt8] = usb ? [kind, UInt8(body.count & 0xFF), UInt8(body.count >> 8), 0, 0, 0, 0, 0, 0, 0] : []
      return "debug\tlibnfc.bus.usb\t\(direction): \((header + body).hex)\n"
    }
    return transcript.exchanges.map { exchange in
      let command: [UInt8] = [0xD4, 0x40, 1] + exchange.command
      return line("TX", 0x6F, [0xFF, 0, 0, 0, UInt8(command.count)] + command)
        + line("RX", 0x80, [0xD5, 0x41, 0] + (exchange.response ?? []) + [0x90, 0])
    }.joined()
  }

  @Test(arguments: [true, false])
  func `libnfc frames inside ACR122 commands are found, over USB and over PC/SC`(_ usb: Bool) throws {
    let recorded = try Self.recorded("Transcripts/visa-cvn18-terminal.txt")
    let imported = try ImportedTranscript(parsing: Self.acr122Log(recorded, usb: usb))
    #expect(imported.format == .libnfcLog)
    #expect(Self.apdus(imported.transcript) == Self.apdus(recorded))
    #expect(imported.notes.isEmpty)
  }

  @Test(arguments: [true, false])
  func `mutated logs of an ACR122 are read or refused`(_ usb: Bool) throws {
    var generator = SplitMix64(seed: 122)
    let log = Array(Self.acr122Log(try Self.recorded("Transcripts/visa-cvn18-terminal.txt"), usb: usb).utf8)
    for _ in 0..<300 {
      var octets = log
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let start = Int.random(in: 0..<octets.count, using: &generator)
        if Bool.random(using: &generator) {
          octets[start] = Array("0123456789ABCDEF\n".utf8).randomElement(using: &generator) ?? 0x30
        } else {
          octets.removeSubrange(start..<min(octets.count, start + 2 * Int.random(in: 0...8, using: &generator)))
        }
      }
      guard let imported = try? ImportedTranscript(parsing: octets, as: .libnfcLog) else { continue }
      #expect((try? Transcript(parsing: imported.transcript.text)) == imported.transcript)
    }
  }

  @Test(arguments: ["<  [] 69 85", "< [] 69 85"])
  func `pyscard prints no data as [], and older versions one digit`(_ answer: String) throws {
    let text = "connecting to A\n> 00 B2 01 0C 00\n\(answer)\n> 00 B2 02 0C 00\n< 70 0 90 0 \ndisconnecting from A\n"
    let imported = try ImportedTranscript(parsing: text)
    #expect(imported.format == .log)
    #expect(Self.apdus(imported.transcript) == ["00B2010C00", "6985", "00B2020C00", "70009000"])
  }

  @Test func `a Proxmark trace gives the same APDUs and times as its list of APDUs`() throws {
    let trace = try ImportedTranscript(parsing: Self.octets("Vectors/proxmark3/hf_visa_apple_normal.trace")).transcript
    let list = try ImportedTranscript(parsing: Self.octets("Vectors/proxmark3/hf_visa_apple_normal.apdu.json"))
      .transcript
    #expect(Self.apdus(trace).prefix(4) == Self.apdus(list).prefix(4))
    #expect(Self.apdus(trace).count >= 4)
    let phone = try Self.recorded("Transcripts/apple-pay-visa.txt")
    #expect(Self.apdus(trace).prefix(4) == Self.apdus(phone).prefix(4))
    for (one, other) in zip(trace.exchanges.prefix(2), phone.exchanges) {
      // The list rounds to a microsecond.
      #expect(abs((one.nanoseconds ?? 0) - (other.nanoseconds ?? -1_000_000)) < 2_000)
      #expect(abs((one.arrival ?? -1_000_000) - (other.arrival ?? 0)) < 2_000)
    }
    // The sniffer lost the responses to the last two commands. A transcript keeps the last command.
    #expect(trace.exchanges.last?.command.hex == "00B2011C00")
    #expect(trace.exchanges.last?.response == nil)
    #expect(list.exchanges.last?.command.hex == "00B2011C00")
  }

  @Test func `chained and repeated blocks of both types are joined, and waiting time requests ignored`() throws {
    let frames: [(Bool, String)] = [
      (false, "E080"), (true, "0578807002"), (false, "120080"), (true, "A2"), (false, "0300"), (true, "F201"),
      (false, "F201"), (true, "1361"), (false, "B3"), (true, "1361"), (false, "A2"), (true, "0262"), (false, "B2"),
      (true, "0262"), (false, "C2"), (true, "C2"),
    ]
    var octets: [UInt8] = []
    for (index, frame) in frames.enumerated() {
      octets += Self.record(UInt32(index) * 10_000, isOfCard: frame.0, try [UInt8](hex: frame.1))
    }
    let transcript = try ImportedTranscript(parsing: octets, as: .proxmarkTrace).transcript
    #expect(Self.apdus(transcript) == ["008000", "6162"])
  }

  static func record(_ start: UInt32, isOfCard: Bool, _ frame: [UInt8]) -> [UInt8] {
    var checksum: UInt16 = 0x6363
    for octet in frame {
      checksum ^= UInt16(octet)
      for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0x8408 : checksum >> 1 }
    }
    let whole = frame + [UInt8(checksum & 0xFF), UInt8(checksum >> 8)]
    let length = UInt16(whole.count) | (isOfCard ? 0x8000 : 0)
    let head = (0..<4).map { UInt8(truncatingIfNeeded: start >> (8 * $0)) } + [0, 1, UInt8(length & 0xFF)]
    return head + [UInt8(length >> 8)] + whole + [UInt8](repeating: 0, count: (whole.count + 7) / 8)
  }

  static let faults: [(text: String, syntax: RecordingFormat, message: String)] = [
    ("C:00A4:90:00", .cardpeekLog, "line 1: expected a status word, found \"90\""),
    ("# x\nD:00", .cardpeekLog, "line 2: expected C:command:SW:response or R:answer to reset, found \"D:00\""),
    ("debug\tlibnfc.bus\tTX: zz", .libnfcLog, "line 1: neither a comment nor bytes in hexadecimal"),
    ("reset\nhello", .scriptorScript, "line 2: neither a comment nor bytes in hexadecimal"),
    ("{", .json, "line 1, column 2: expected "),
    (
      "{\n\"a\": 1}", .json,
      "line 1, column 1: expected an object with \"contactless-transcript\", found an object without it"
    ),
    ("{\"contactless-transcript\": 2}", .json, "line 1: the transcript has version \"2\""),
    (
      "{\"contactless-transcript\": 1,\n\"exchanges\": [{\"command\": \"00A4\"},\n{\"command\": \"00\"}]}", .json,
      "line 2, column 15: expected \"response\" in all exchanges but the last, found an exchange without it"
    ),
    (
      "{\"contactless-transcript\": 1, \"head\": [{\"key\": \"A B\", \"value\": \"\"}]}", .json,
      "line 1: a directive is"
    ),
    (
      "{\"exchanges\": [\n{\"rapdu\": \"9000\"}]}", .proxmarkAPDUList,
      "line 2, column 1: expected an object with \"capdu\", found an object without it"
    ),
    (String(repeating: "[", count: 100), .json, "line 1, column 33: expected at most 32 levels"),
    ("abcd", .proxmarkTrace, "line 1: expected a record of 8, found record 1, cut off after 4 bytes"),
  ]

  @Test(arguments: faults)
  func `each error names its line, what was expected and what was found`(
    _ text: String, _ syntax: RecordingFormat, _ message: String
  ) {
    let error = #expect(throws: TranscriptError.self) { try ImportedTranscript(parsing: text, as: syntax) }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: samples.indices)
  func `mutated logs are read or refused in every format`(_ index: Int) throws {
    var generator = SplitMix64(seed: UInt64(index))
    let original = Array(try Self.octets(Self.samples[index].file).prefix(8000))
    let snippets = ["APDU: ", "SW: ", "\tTX: ", "@>|1|2|SCardTransmit", "> ", "< ", ":", "{", "]", "\"", "\n", "9000"]
    for _ in 0..<150 {
      let octets = original.mutated(with: snippets, most: 6, using: &generator)
      for syntax in [nil, Self.samples[index].syntax] {
        guard let imported = try? ImportedTranscript(parsing: octets, as: syntax) else { continue }
        #expect((try? Transcript(parsing: imported.transcript.text)) == imported.transcript)
      }
    }
  }
}
