import Links
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// Captures of USB readers and SIM cards, and the options of a Proxmark's list.
@Suite("Kinds of captures")
struct CaptureKindTests {
  static let selection = "00A4040007A000000003101000"

  /// A classic capture with packets a millisecond apart.
  static func capture(_ linkType: UInt8, _ packets: [[UInt8]], isBigEndian: Bool = false) -> [UInt8] {
    let number = { (value: Int) -> [UInt8] in
      let octets = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? octets.reversed() : octets
    }
    let mark: [UInt8] = isBigEndian ? [0xA1, 0xB2, 0xC3, 0xD4] : [0xD4, 0xC3, 0xB2, 0xA1]
    var octets = mark + [UInt8](repeating: 0, count: 16) + number(Int(linkType))
    for (index, packet) in packets.enumerated() {
      octets += number(1) + number(index * 1000) + number(packet.count) + number(packet.count) + packet
    }
    return octets
  }

  /// A bulk transfer of usbmon with a message of CCID.
  static func transfer(_ kind: UInt8, _ data: [UInt8], headerCount: Int = 64) -> [UInt8] {
    let isIn = kind & 0x80 != 0
    var header = [UInt8](repeating: 0, count: headerCount)
    header[8] = UInt8(ascii: isIn ? "C" : "S")
    (header[9], header[10]) = (3, isIn ? 0x82 : 0x02)
    let count = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
    return header + [kind] + count + [0, 0, 0, 0, 0] + data
  }

  /// A T=1 block.
  static func block(_ control: UInt8, _ octets: [UInt8]) -> [UInt8] {
    let block = [0, control, UInt8(octets.count)] + octets
    return block + [block.reduce(0, ^)]
  }

  @Test(arguments: [true, false], [220, 189] as [UInt8])
  func `the messages of a USB reader give exchanges, times and the answer to reset`(
    _ isBigEndian: Bool, _ linkType: UInt8
  ) throws {
    let headerCount = linkType == 220 ? 64 : 48
    let packets = [
      Self.transfer(0x62, [], headerCount: headerCount),
      Self.transfer(0x80, [0x3B, 0x80, 0x80, 0x01, 0x01], headerCount: headerCount),
      Self.transfer(0x6F, try [UInt8](hex: Self.selection), headerCount: headerCount),
      Self.transfer(0x80, [0x6A, 0x82], headerCount: headerCount),
    ]
    let transcript = try ImportedTranscript(
      parsing: Self.capture(linkType, packets, isBigEndian: isBigEndian)
    ).transcript
    #expect(ToolImportTests.apdus(transcript) == [Self.selection, "6A82"])
    #expect(transcript.identity.answerToReset.hex == "3B80800101")
    #expect(transcript.exchanges.first?.nanoseconds == 1_000_000)
  }

  @Test func `a reader that exchanges blocks of T=1 is unwrapped, also in chains and over several transfers`() throws {
    let command = try [UInt8](hex: Self.selection)
    let long = Self.transfer(0x80, Self.block(0x40, [0x6A, 0x82]))
    let packets = [
      Self.transfer(0x6F, Self.block(0x20, Array(command[..<5]))), Self.transfer(0x80, Self.block(0x90, [])),
      Self.transfer(0x6F, Self.block(0x40, Array(command[5...]))), Array(long[..<70]),
      Array(long[..<64]) + Array(long[70...]),
    ]
    let transcript = try ImportedTranscript(parsing: Self.capture(220, packets)).transcript
    #expect(ToolImportTests.apdus(transcript) == [Self.selection, "6A82"])
  }

  @Test func `a SIM exchange of GSMTAP is split where P3 ends`() throws {
    let apdus = try [UInt8](hex: "A0A40000023F00" + "9F17")
    let gsmtap: [UInt8] = [2, 4, 4, 0] + [UInt8](repeating: 0, count: 12) + apdus
    let udp: [UInt8] = [0xC0, 0x00, 0x12, 0x79, 0, UInt8(8 + gsmtap.count), 0, 0] + gsmtap
    let ip: [UInt8] = [0x45, 0, 0, UInt8(20 + udp.count), 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1] + udp
    let transcript = try ImportedTranscript(parsing: Self.capture(101, [ip])).transcript
    #expect(ToolImportTests.apdus(transcript) == ["A0A40000023F00", "9F17"])
  }

  @Test func `damaged captures are read or refused`() throws {
    var random = SplitMix64(seed: 220)
    let packets = [
      Self.transfer(0x6F, try [UInt8](hex: Self.selection)), Self.transfer(0x80, Self.block(0x40, [0x6A, 0x82])),
    ]
    let whole = Self.capture(220, packets)
    for _ in 0..<500 {
      var octets = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        octets[Int.random(in: 0..<octets.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      octets.removeLast(Int.random(in: 0...20, using: &random))
      guard let imported = try? ImportedTranscript(parsing: octets, as: .packetCapture) else { continue }
      #expect((try? Transcript(parsing: imported.transcript.text)) == imported.transcript)
    }
  }

  @Test func `a list in microseconds and a list of a contact card have the right times`() throws {
    let rows = { (heading: String, rows: [String]) in
      ([heading, "  Start |  End | Src | Data | CRC | Annotation"] + rows).joined(separator: "\n")
    }
    let microseconds = rows(
      "[=] ISO14443A - all times are in microseconds",
      ["0 | 100 | Rdr |02 00 B2 01 0C 00 73 94 | ok | ", "1100 | 1200 | Tag |02 6A 83 1A 3E | | "])
    #expect(try ImportedTranscript(parsing: microseconds).transcript.exchanges.map(\.nanoseconds) == [1_000_000])
    let contact = rows(
      "[=] ISO7816-4 / Smartcard - Timings n/a",
      ["0 | 0 | Rdr |00 B2 01 0C 00 | | ", "0 | 0 | Tag |6A 83 | | "])
    #expect(ToolImportTests.apdus(try ImportedTranscript(parsing: contact).transcript) == ["00B2010C00", "6A83"])
  }
}
