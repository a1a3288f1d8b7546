import Fixtures
import Foundation
import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// The bytes of a packet capture, read as pcapng (IETF draft-ietf-opsawg-pcapng, 4) defines them.
@Suite("Packet captures")
struct CaptureTests {
  struct Malformed: Error {}

  static func little(_ octets: some Collection<UInt8>) -> Int { octets.reversed().reduce(0) { $0 << 8 | Int($1) } }

  /// Returns the types and bodies of all blocks.
  static func blocks(_ capture: [UInt8]) throws -> [(type: Int, body: [UInt8])] {
    var rest = capture[...]
    var blocks: [(type: Int, body: [UInt8])] = []
    while rest.count >= 12 {
      let count = little(rest.dropFirst(4).prefix(4))
      guard count >= 12, count % 4 == 0, count <= rest.count else { throw Malformed() }
      let block = Array(rest.prefix(count))
      guard little(block.suffix(4)) == count else { throw Malformed() }
      blocks.append((little(block.prefix(4)), Array(block[8..<count - 4])))
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty else { throw Malformed() }
    return blocks
  }

  /// Returns the times in nanoseconds, and the frames after the four bytes of LINKTYPE_ISO_14443.
  static func frames(_ capture: [UInt8]) throws -> [(time: Int, frame: [UInt8])] {
    try blocks(capture).filter { $0.type == 6 }.map { block in
      let body = block.body
      let count = little(body[12..<16])
      guard count == little(body[16..<20]), (count + 3) / 4 * 4 <= body.count - 20 else { throw Malformed() }
      let data = body[20..<20 + count]
      guard Int(data[22]) << 8 | Int(data[23]) == count - 4 else { throw Malformed() }
      return (little(body[4..<8]) << 32 | little(body[8..<12]), Array(data.dropFirst(4)))
    }
  }

  static let transcript = """
    #@ at: 0
    00A4040000
    #@ t: 5000000
    9000
    #@ at: 20000000
    00B2010C00
    6A83
    #@ at: 3
    00B2020C00
    #@ t: 4
    6A83
    #@ at: 5000000000000
    00B2030C00
    #@ t: 7
    6A83

    """

  @Test func `a capture begins with a section and an interface of link type 264 in nanoseconds`() throws {
    let blocks = try Self.blocks(Transcript(parsing: Self.transcript).pcapng)
    #expect(blocks.map(\.type) == [0x0A0D_0D0A, 1] + Array(repeating: 6, count: 10))
    #expect(blocks[1].body.prefix(2) == [0x08, 0x01])
    // Option 9, if_tsresol, has one octet: ten to the power of minus nine.
    #expect(Array(blocks[1].body[8..<13]) == [9, 0, 1, 0, 9])
  }

  static let times = [
    0, 1_000_000, 6_000_000, 21_000_000, 22_000_000, 23_000_000, 23_000_004, 5_000_001_000_000, 5_000_001_000_007,
    5_000_002_000_007,
  ]

  @Test func `times are the recorded ones, start a millisecond after the field, and never go back`() throws {
    let capture = try Transcript(parsing: Self.transcript).pcapng
    #expect(try Self.frames(capture).map(\.time) == Self.times)
    let file = FileManager.default.temporaryDirectory.appending(path: "capture-\(UUID().uuidString).pcapng")
    try Data(capture).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let tshark = try ProgramRun("tshark", ["-r", file.path, "-T", "fields", "-e", "frame.time_epoch"])
    #expect(try tshark.finish() == .exited(0), "\(tshark.errors)")
    #expect(tshark.output.split(separator: "\n").last == "5000.002000007")
  }

  @Test func `a recording with a date gives a capture with that date`() throws {
    let capture = try Transcript(parsing: "#@ clock: 2026-01-31T12:34:56\n" + Self.transcript).pcapng
    // date -u -d 2026-01-31T12:34:56 +%s
    #expect(try Self.frames(capture).map(\.time) == Self.times.map { $0 + 1_769_862_896_000_000_000 })
  }

  @Test func `frames have at most 256 bytes and end in the checksum of type A`() throws {
    let command = [0x00, 0xDA, 0x00, 0x00, 0x00, 0x02, 0x00] + [UInt8](repeating: 0xAB, count: 512)
    let frames = try Self.frames(Transcript(exchanges: [.init(command: command, response: [0x90, 0])]).pcapng)
      .map(\.frame).filter { !$0.isEmpty }
    #expect(frames.map(\.count).max() == 256)
    for frame in frames {
      let body = Array(frame.dropLast(2))
      #expect(ToolImportTests.record(0, isOfCard: false, body)[8..<8 + frame.count] == frame[...])
    }
  }

  @Test func `the first frame of each APDU has a comment in words, without account numbers`() throws {
    let scratch = try Scratch()
    let transcript = try Self.recording("visa-cvn18-terminal")
    let file = scratch.path("tap.pcapng")
    try Data(transcript.pcapng).write(to: URL(filePath: file))
    let tshark = try ProgramRun("tshark", ["-r", file, "-Y", "frame.comment", "-T", "fields", "-e", "frame.comment"])
    #expect(try tshark.finish() == .exited(0), "\(tshark.errors)")
    #expect(tshark.output.contains("SELECT: 00A40400"))
    #expect(tshark.output.contains("9F26 Application Cryptogram: "))
    let commented = try ProgramRun("tshark", ["-r", file, "-Y", "frame.comment"])
    #expect(try commented.finish() == .exited(0), "\(commented.errors)")
    #expect(commented.output.split(separator: "\n").count == transcript.exchanges.count * 2)
    let words = try Self.blocks(transcript.pcapng).filter { $0.type == 6 }.map {
      String(decoding: $0.body, as: UTF8.self)
    }
    #expect(!words.contains { $0.contains("4761739001010010") })
  }

  static func recording(_ name: String) throws -> Transcript {
    try Transcript(parsing: String(decoding: Fixtures.data("Transcripts/\(name).txt"), as: UTF8.self))
  }

  static let recordings = [
    "visa-cvn18-terminal", "mastercard-cvn16-terminal", "contactless-mastercard", "unionpay-fdda-terminal",
  ]

  @Test(arguments: recordings)
  func `a capture is read back with its exchanges`(_ name: String) throws {
    let transcript = try Self.recording(name)
    let read = try ImportedTranscript(parsing: transcript.pcapng)
    #expect(read.format == .packetCapture && read.notes.isEmpty)
    #expect(read.transcript.exchanges.map(\.command) == transcript.exchanges.map(\.command))
    #expect(read.transcript.exchanges.map(\.response) == transcript.exchanges.map(\.response))
  }

  @Test func `a capture that Wireshark's editcap has written is read, and so is one in the other byte order`() throws {
    let scratch = try Scratch()
    let transcript = try Transcript(parsing: Self.transcript)
    let (own, foreign) = (scratch.path("own.pcapng"), scratch.path("foreign.pcapng"))
    try Data(transcript.pcapng).write(to: URL(filePath: own))
    let editcap = try ProgramRun("editcap", ["-F", "pcapng", own, foreign])
    #expect(try editcap.finish() == .exited(0), "\(editcap.errors)")
    let written = try Array(Data(contentsOf: URL(filePath: foreign)))
    #expect(written != transcript.pcapng)
    for capture in [transcript.pcapng, written, try Self.swapped(transcript.pcapng)] {
      let read = try ImportedTranscript(parsing: capture).transcript
      #expect(read.exchanges.map(\.command) == transcript.exchanges.map(\.command))
      #expect(read.exchanges.map(\.nanoseconds) == [5_000_000, 1_000_000, 4, 7])
      #expect(read.exchanges.first?.arrival == 0)
    }
  }

  /// The capture in big-endian order: every number of every block.
  static func swapped(_ capture: [UInt8]) throws -> [UInt8] {
    func big(_ octets: some Collection<UInt8>) -> [UInt8] { octets.reversed() }
    return try blocks(capture).flatMap { block -> [UInt8] in
      let type = big([UInt8](withUnsafeBytes(of: UInt32(block.type).littleEndian, Array.init)))
      let count = big([UInt8](withUnsafeBytes(of: UInt32(block.body.count + 12).littleEndian, Array.init)))
      var body = block.body
      let numbers =
        switch block.type {
        case 1: [0..<2, 2..<4, 4..<8, 8..<10, 10..<12, 16..<18, 18..<20]
        case 6: [0..<4, 4..<8, 8..<12, 12..<16, 16..<20]
        default: [0..<4, 4..<6, 6..<8, 8..<16]
        }
      for place in numbers { body.replaceSubrange(place, with: big(body[place])) }
      return type + count + body + count
    }
  }

  static let malformed: [(String, @Sendable (inout [UInt8]) -> Void, String)] = [
    ("cut off in a block", { $0.removeLast(5) }, "a length of"),
    ("cut off in a header", { $0.removeLast($0.count - 30) }, "cut off after 2 bytes"),
    ("a block of 8 bytes", { $0[32] = 8 }, "a length of 8"),
    ("no interface", { $0.removeSubrange(28..<60) }, "its interface, time and length"),
    ("another link type", { $0[36] = 1 }, "packets of ISO 14443, link type 264"),
    ("no packet", { $0.removeSubrange(60...) }, "a capture with 0 packets"),
  ]

  @Test(arguments: malformed.indices)
  func `a malformed capture is refused with the number of its block`(_ row: Int) throws {
    var capture = try Transcript(parsing: Self.transcript).pcapng
    Self.malformed[row].1(&capture)
    let error = #expect(throws: TranscriptError.self, "\(Self.malformed[row].0)") {
      try ImportedTranscript(parsing: capture)
    }
    #expect(error.map { "\($0)" }?.contains(Self.malformed[row].2) == true, "\(String(describing: error))")
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a mutated capture is read or refused, and never traps`(_ seed: UInt64) throws {
    let capture = try Transcript(parsing: Self.transcript).pcapng
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      var mutated = capture
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        mutated[Int.random(in: 12..<mutated.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { mutated.removeLast(Int.random(in: 0..<mutated.count, using: &generator)) }
      _ = try? ImportedTranscript(parsing: mutated)
    }
  }
}
