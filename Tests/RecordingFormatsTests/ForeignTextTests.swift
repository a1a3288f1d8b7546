import Octets
import RecordingFormats
import TestSupport
import Testing
import Transcripts

/// Texts without an APDU, and logs that were damaged.
@Suite("Texts that are no logs")
struct ForeignTextTests {
  /// Makes a text of a kind from random bytes.
  static let kinds: [@Sendable (inout SplitMix64) -> String] = [
    { random in
      "Jan 31 12:34:56 host sshd[\(Int.random(in: 1...9999, using: &random))]: Accepted publickey for root from 10.0.0.1 port 50022 ssh2: RSA SHA256:\(digits(16, &random))"
    },
    { random in
      ">>> TLS 1.3, Handshake [length 0040], ClientHello\n    01 00 00 3c 03 03 \(spaced(10, &random))\n    \(spaced(16, &random))\n<<< TLS 1.3, Handshake [length 0020], ServerHello\n    02 00 00 1c 03 03 \(spaced(10, &random))"
    },
    { random in
      "=> Send SSL data, 5 bytes (0x5)\n0000: 16 03 01 02 00\n<= Recv SSL data, 16 bytes (0x10)\n0000: \(spaced(16, &random)) ................"
    },
    { random in "TX: 01 03 00 00 00 0A C5 CD\nRX: 01 03 14 \(spaced(20, &random))" },
    { random in
      "00000000: \(digits(2, &random)) \(digits(2, &random)) \(digits(2, &random))  ......\n00000010: \(digits(2, &random))  .."
    },
    { random in "static const uint8_t key[] = { 0x\(digits(1, &random)), 0x\(digits(1, &random)), 0x90, 0x00 };" },
    { random in "id,time,payload\n1,12:00:01,\(digits(8, &random))\n2,12:00:02,\(digits(8, &random))\n3,12:00:03,9000"
    },
    { random in "> GET /a HTTP/1.1\n> Host: example.org\n< HTTP/1.1 200 OK\n< ETag: \"\(digits(8, &random))\"\n<" },
    { random in
      "commit \(digits(20, &random))\nAuthor: A <a@example.org>\n\n    send: a response (\(digits(2, &random)))"
    },
    { random in
      "wlan0: RX: authenticate from 00:11:22:\(colons(3, &random)) (try 1/3)\nwlan0: TX: associate with \(colons(6, &random))"
    },
    { random in
      "Request: \(digits(16, &random))\nResponse: \(digits(16, &random))\nStatus: 200\nrequest id \(digits(8, &random))"
    },
    { random in "func send(_ octets: [UInt8]) { // 0x\(digits(2, &random))\n  write(\(digits(2, &random)))\n}" },
    { random in "I2C write: 50 00 \(spaced(4, &random))\nI2C read: \(spaced(8, &random))" },
    { random in "Received 1024 bytes\nSent 9000 bytes\nSending 12 of \(Int.random(in: 1...99, using: &random)) files" },
    { random in "sha256 \(digits(32, &random))  file.bin\nmd5 \(digits(16, &random))" },
  ]

  static func digits(_ count: Int, _ random: inout SplitMix64) -> String {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }.hex.lowercased()
  }
  static func spaced(_ count: Int, _ random: inout SplitMix64) -> String {
    (0..<count).map { _ in digits(1, &random) }.joined(separator: " ")
  }
  static func colons(_ count: Int, _ random: inout SplitMix64) -> String {
    (0..<count).map { _ in digits(1, &random) }.joined(separator: ":")
  }

  @Test func `five hundred texts without an APDU are no log`() {
    var random = SplitMix64(seed: 500)
    for number in 0..<510 {
      let text = (0..<4).map { Self.kinds[(number + $0 * (number / 15 + 1)) % Self.kinds.count](&random) }.joined(
        separator: "\n")
      #expect(RecordingFormat.guess(text) != .log, "\(text)")
    }
  }

  @Test func `three hundred damaged logs are read or refused, and what is lost is named`() throws {
    var random = SplitMix64(seed: 300)
    let rows = PublicLogTests.rows.filter { $0.format == .log }
    for number in 0..<300 {
      let row = rows[number % rows.count]
      let whole = try PublicLogTests.imported(row.file)
      let lines = String(decoding: try PublicLogTests.octets(row.file), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false)
      // A line that is no part of an exchange, put in somewhere, changes no exchange.
      var noisy = lines.map(String.init)
      let place = whole.places.randomElement(using: &random)?.command.lowerBound ?? 1
      noisy.insert("Jan 31 12:00:00 host kernel: usb 1-1: new full-speed device", at: place - 1)
      let read = try ImportedTranscript(parsing: noisy.joined(separator: "\n"))
      #expect(
        ToolImportTests.apdus(read.transcript) == ToolImportTests.apdus(whole.transcript), "\(row.file), line \(place)")
      // Bytes that are changed, removed or added never trap.
      let octets = Array(lines.joined(separator: "\n").utf8)
        .mutated(
          with: ["APDU: ", "SW: ", ">> ", "<< ", "9000", "\n", "0x", "[", "(20 bytes)", "> "], most: 6, using: &random)
      try checkRedaction(of: octets)
      let paste = ForumPasteTests.rows[number % ForumPasteTests.rows.count].file
      try checkRedaction(
        of: ToolImportTests.octets("Transcripts/Pasted/\(paste)")
          .mutated(with: ["b'\\x", "{length = ", "->", "<rapdu>", "CLA: ", "NciX", "\n"], most: 6, using: &random))
    }
  }

  /// Checks that a damaged text is refused, or read so that it can be written and redacted.
  private func checkRedaction(of octets: [UInt8]) throws {
    if let damaged = try? ImportedTranscript(parsing: octets) {
      #expect((try? Transcript(parsing: damaged.transcript.text)) == damaged.transcript)
      let redacted = damaged.transcript.redacted()
      #expect(redacted.exchanges.count == damaged.transcript.exchanges.count)
      #expect(!redacted.text.contains("4761739001010010"), "\(redacted.text)")
    }
  }
}
