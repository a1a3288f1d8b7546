import ISO7816
import Octets
import ReaderSimulator
import Testing

/// The reader's side of ISO-DEP (ISO/IEC 14443-4:2018, 7.5).
struct ISODEPReaderTests {
  /// Frames of 16 bytes, so parts of 13 bytes.
  static let answer = answer([0x05, 0x70, 0x80, 0x70, 0x02])

  static func answer(_ octets: [UInt8]) -> AnswerToSelect {
    guard let answer = try? AnswerToSelect(parsing: octets.span) else { preconditionFailure("a whole ATS") }
    return answer
  }

  /// The blocks that the reader receives and sends. `-` is no block in time, `x` a damaged frame, `>` a command of the
  /// host, `.` a deselection.
  static let readerScripts: [(name: String, turns: [(String, String)])] = [
    (
      "command and response",
      [(">00A4", "0200A4"), ("029000", "response 9000"), (">01", "0301"), ("0390", "response 90")]
    ),
    ("a response that is lost", [(">01", "0201"), ("-", "B2"), ("0290", "response 90")]),
    ("a response that is damaged", [(">01", "0201"), ("x", "B2"), ("0290", "response 90")]),
    ("a command that is lost", [(">01", "0201"), ("-", "B2"), ("A3", "0201"), ("0290", "response 90")]),
    (
      "a chained command",
      [
        (">000102030405060708090A0B0C0D0E", "12000102030405060708090A0B0C"), ("-", "B2"),
        ("A3", "12000102030405060708090A0B0C"), ("A2", "030D0E"), ("0390", "response 90"),
      ]
    ),
    (
      "a chained response",
      [(">01", "0201"), ("1290", "A3"), ("-", "A3"), ("1391", "A2"), ("x", "A2"), ("0292", "response 909192")]
    ),
    (
      "the count of retries starts again with each block",
      [
        (">01", "0201"), ("-", "B2"), ("-", "B2"), ("-", "B2"), ("1290", "A3"), ("-", "A3"), ("-", "A3"), ("-", "A3"),
        ("0391", "response 9091"),
      ]
    ),
    (
      "a response within the command",
      [(">000102030405060708090A0B0C0D0E", "12000102030405060708090A0B0C"), ("0290", "B2")]
    ),
    ("a part that comes twice", [(">01", "0201"), ("1290", "A3"), ("1290", "A3"), ("0391", "response 9091")]),
    ("more time", [(">01", "0201"), ("F203", "F203"), ("-", "B2"), ("F203", "F203"), ("0290", "response 90")]),
    ("silence", [(">01", "0201"), ("-", "B2"), ("-", "B2"), ("-", "B2"), ("-", "failed silent"), ("0290", "")]),
    ("damaged frames", [(">01", "0201"), ("x", "B2"), ("x", "B2"), ("x", "B2"), ("x", "failed damaged")]),
    ("wrong blocks", [(">01", "0201"), ("0390", "B2"), ("E0", "B2"), ("C2", "B2"), ("A2", "failed violation")]),
    (
      "a card that never receives the command",
      [(">01", "0201"), ("A3", "0201"), ("A3", "0201"), ("A3", "0201"), ("A3", "failed violation")]
    ),
    ("deselect", [(".", "C2"), ("-", "C2"), ("C2", "deselected"), ("C2", "")]),
    ("deselect without a response", [(".", "C2"), ("-", "C2"), ("x", "C2"), ("02", "C2"), ("-", "deselected")]),
    ("nothing is expected", [("0290", ""), ("-", ""), ("x", "")]),
  ]

  @Test(arguments: readerScripts)
  func `the reader's side follows the rules of ISO-DEP`(name: String, turns: [(String, String)]) throws {
    var reader = ISODEPReader(Self.answer)
    for (event, expected) in turns {
      let step =
        switch event.first {
        case ">": reader.transmit(try [UInt8](hex: event.dropFirst()))
        case ".": reader.deselect()
        case "-": reader.timedOut()
        case "x": reader.receiveDamaged()
        default: reader.receive(try [UInt8](hex: event))
        }
      let said =
        switch step {
        case .idle: ""
        case .send(let block, _): block.hex
        case .response(let response): "response \(response.hex)"
        case .deselected: "deselected"
        case .failed(let failure): "failed \(failure)"
        }
      #expect(said == expected, "\(name), at \(event)")
    }
  }

  @Test func `waiting times are those of the card and their multiples, up to the limit`() {
    var reader = ISODEPReader(Self.answer)
    guard case .send(_, let wait) = reader.transmit([0x01]) else { return #expect(Bool(false)) }
    #expect(wait == .nanoseconds(302_065 << 7))
    guard case .send(_, let longer) = reader.receive([0xF2, 0x03]) else { return #expect(Bool(false)) }
    #expect(longer == wait * 3)
    var slow = ISODEPReader(Self.answer([0x03, 0x20, 0xE0]))
    _ = slow.transmit([0x01])
    guard case .send(_, let longest) = slow.receive([0xF2, 0x3B]) else { return #expect(Bool(false)) }
    #expect(longest == .nanoseconds(302_065 << 14))
    #expect(slow.deselect() == .send([0xC2], wait: .milliseconds(5)))
    #expect(slow.timedOut() == .send([0xC2], wait: .milliseconds(5)))
  }
}
