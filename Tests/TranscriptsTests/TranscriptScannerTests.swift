import Testing
import Transcripts

@Suite("A transcript as a stream")
struct TranscriptScannerTests {
  /// What a scanner finds, in blocks of a length.
  private static func items(_ text: String, block: Int) throws -> [String] {
    var scanner = TranscriptScanner()
    var found: [String] = []
    var rest = Array(text.utf8)[...]
    repeat {
      let octets = Array(rest.prefix(block))
      rest = rest.dropFirst(block)
      scanner.append(octets.span)
      if rest.isEmpty { scanner.finish() }
      while let item = try scanner.next() {
        let line = scanner.line
        switch item {
        case .note: found.append("\(line) note \(try scanner.note().text)")
        case .command: found.append("\(line) command \(scanner.command)")
        case .response: found.append("\(line) response \(scanner.response)")
        }
      }
    } while !rest.isEmpty
    return found
  }

  @Test(arguments: [1, 2, 3, 7, 1_000])
  func `blocks of any length give the same items`(block: Int) throws {
    let text = "\u{FEFF}# ATR: 3B00\r\n\n#@ t: 5\n  00 a4 0 4\t00 \r\n\u{A0}# caf\u{E9}\n\u{A0}9000\u{A0}\n00B2"
    let expected = [
      "1 note ATR: 3B00", "3 note 5", "4 command [0, 164, 4, 0]", "5 note caf\u{E9}", "6 response [144, 0]",
      "7 command [0, 178]",
    ]
    #expect(try Self.items(text, block: block) == expected)
  }

  @Test(arguments: [1, 1_000])
  func `a line that is neither a note nor bytes is reported with its number`(block: Int) {
    let cases = ["00A4\n90 0": 2, "\n\n0g": 3, "\n9000\n00": 3, "\u{E9}": 1]
    for (text, line) in cases {
      let error = #expect(throws: TranscriptError.self, "\(text)") { try Self.items(text, block: block) }
      #expect(error?.line == line)
    }
  }

  @Test func `a line without an end is refused before it fills the memory`() throws {
    var scanner = TranscriptScanner()
    let block = [UInt8](repeating: 0x30, count: Transcript.maximumLineLength / 2)
    for _ in 0..<2 {
      scanner.append(block.span)
      let item = try scanner.next()
      #expect(item == nil)
    }
    scanner.append(block.span)
    var code: TranscriptError.Code?
    do throws(TranscriptError) { _ = try scanner.next() } catch { code = error.code }
    #expect(code == .lineTooLong(count: 3 * block.count, limit: Transcript.maximumLineLength))
  }

  @Test func `a note is checked when it is read`() throws {
    var scanner = TranscriptScanner()
    let text = Array("#@ t: soon\n00A4".utf8)
    scanner.append(text.span)
    scanner.finish()
    let item = try scanner.next()
    #expect(item == .note)
    var line: Int?
    do throws(TranscriptError) { _ = try scanner.note() } catch { line = error.line }
    #expect(line == 1)
    let next = try scanner.next()
    #expect(next == .command)
  }
}
