import Octets
import RecordingFormats
import Testing
import Transcripts

/// Logs and captures with parts of messages, lost bytes and lines that were made to be slow.
@Suite("Faults in logs and captures")
struct LogFaultTests {
  static let record = "00B2010C00"

  /// A message of usbmon whose last two bytes of the header state the part.
  static func part(_ kind: UInt8, _ digits: String, _ level: UInt8) throws -> [UInt8] {
    var packet = CaptureKindTests.transfer(kind, try [UInt8](hex: digits))
    packet[64 + (kind == 0x80 ? 9 : 8)] = level
    return packet
  }

  static func read(_ packets: [[UInt8]]) throws -> ImportedTranscript {
    try ImportedTranscript(parsing: CaptureKindTests.capture(220, packets))
  }

  @Test func `the parts of extended APDUs are one command and one response`() throws {
    let imported = try Self.read([
      Self.part(0x6F, "00A4040007", 1), Self.part(0x80, "", 0x10), Self.part(0x6F, "A0000000", 3),
      Self.part(0x80, "", 0x10), Self.part(0x6F, "03101000", 2), Self.part(0x80, "700E5A08", 1),
      Self.part(0x6F, "", 0x10), Self.part(0x80, "4111111111111111", 3), Self.part(0x6F, "", 0x10),
      Self.part(0x80, "5F3401019000", 2),
    ])
    #expect(
      ToolImportTests.apdus(imported.transcript) == [
        "00A4040007A000000003101000", "700E5A0841111111111111115F3401019000",
      ])
  }

  @Test func `a response whose last part is missing takes no other response`() throws {
    let imported = try Self.read([
      Self.part(0x6F, Self.record, 0), Self.part(0x80, "700E5A089000", 1), Self.part(0x6F, "00B2020C00", 0),
      Self.part(0x80, "6A83", 0),
    ])
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2020C00", "6A83"])
    #expect(imported.notes.contains { $0.text.contains("whose last part is missing") })
  }

  @Test func `a response that the capture cut off takes no other message`() throws {
    let whole = try Self.part(0x80, "700E5A0841111111111111115F3401019000", 0)
    let imported = try Self.read([
      Self.part(0x6F, Self.record, 0), Array(whole.prefix(84)), Self.part(0x6F, "00B2020C00", 0),
      Self.part(0x80, "6A83", 0), Self.part(0x6F, "00B2030C00", 0), Self.part(0x80, "6A82", 0),
    ])
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2020C00", "6A83", "00B2030C00", "6A82"])
    #expect(imported.notes.contains { $0.text.hasPrefix("cut off: 10 bytes of the response") })
  }

  @Test func `a pause inside a dump shows nothing, and the last line needs no end`() throws {
    var log = LiveLog()
    try log.append(Array("Command: 00B2010C00\nResponse:\n70 0E 5A 08 41 11 11 11\n".utf8))
    try log.pause()
    #expect(log.completeCount == 0)
    try log.append(Array("11 11 11 11 5F 34 01 01 90 00\nCommand: 00B2020C00\nResponse: 6A83".utf8))
    try log.finish()
    #expect(
      ToolImportTests.apdus(log.transcript) == [
        "00B2010C00", "700E5A0841111111111111115F3401019000", "00B2020C00", "6A83",
      ])
  }

  @Test func `what follows a whole response is no part of it`() throws {
    let imported = try ImportedTranscript(
      parsing: "Command: 00B2010C00\nResponse: 70025A009000\nDEADBEEF\nCommand: 00B2020C00\nResponse: 6A83\n")
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2010C00", "70025A009000", "00B2020C00", "6A83"])
    #expect(imported.notes.contains { $0.text.contains("4 bytes after a whole") })
  }

  @Test func `a response after one that was cut off answers nothing`() throws {
    let imported = try ImportedTranscript(
      parsing:
        "Command: 00B2010C00\nResponse: 700E5A089000\nResponse: 6A83\nCommand: 00B2020C00\nResponse: 6A82\n")
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2020C00", "6A82"])
  }

  @Test func `the bytes of a line are found after any number of others`() throws {
    let before = String(repeating: "00 x ", count: 20)
    let imported = try ImportedTranscript(
      parsing: "\(before)Command: 00B2010C00\n\(before)Response: 6A83\n", as: .log)
    #expect(ToolImportTests.apdus(imported.transcript) == ["00B2010C00", "6A83"])
  }

  @Test(arguments: ["[", "00 0 ", "0 ", ">", "0x0 ", "\"00 ", "{0,", "(4+-99)"])
  func `long lines are read in a moment`(_ part: String) {
    let line = String(repeating: part, count: 60_000 / part.utf8.count)
    let text = String(repeating: line + "\n", count: 3)
    let time = ContinuousClock().measure { _ = try? ImportedTranscript(parsing: text, as: .log) }
    #expect(time < .seconds(10), "\(part)")
  }

  @Test func `a list whose relative times add up to centuries is read`() throws {
    let row = "48816000000 | 48816000000 | Rdr |00 B2 01 0C 00 | | \n48816000000 | 48816000000 | Tag |6A 83 | | \n"
    let text =
      "[=] ISO7816-4 / Smartcard - all times are in microseconds\n Gap | Duration | Src | Data | CRC | Annotation\n"
      + String(repeating: row, count: 48_000)
    let imported = try ImportedTranscript(parsing: text, as: .proxmarkText)
    #expect(imported.transcript.exchanges.count > 1_000)
  }
}
