import ISO7816
import Octets
import ReaderSimulator
import Testing

/// The transmission protocol's blocks and both halves' rules (ISO/IEC 14443-4:2018, 7.5).
struct ISODEPTests {
  /// Frames of 16 octets, so blocks of 13.
  static let answer = answer([0x05, 0x70, 0x80, 0x70, 0x02])

  static func answer(_ octets: [UInt8]) -> AnswerToSelect {
    guard let answer = try? AnswerToSelect(parsing: octets.span) else { preconditionFailure("a whole ATS") }
    return answer
  }

  @Test(arguments: [
    ("02AABB", ISODEPBlock(.information(chaining: false, [0xAA, 0xBB]), number: 0)),
    ("13AA", ISODEPBlock(.information(chaining: true, [0xAA]), number: 1)),
    ("0A05AA", ISODEPBlock(.information(chaining: false, [0xAA]), number: 0, card: 5)),
    ("03", ISODEPBlock(.information(chaining: false, []), number: 1)),
    ("A2", ISODEPBlock(.acknowledge, number: 0)),
    ("AB03", ISODEPBlock(.acknowledge, number: 1, card: 3)),
    ("B3", ISODEPBlock(.notAcknowledge, number: 1)),
    ("C2", ISODEPBlock(.deselect)),
    ("CA01", ISODEPBlock(.deselect, card: 1)),
    ("F201", ISODEPBlock(.extendWaitingTime(1))),
    ("F23B", ISODEPBlock(.extendWaitingTime(59))),
  ])
  func `blocks are read and written`(hex: String, block: ISODEPBlock) throws {
    #expect(ISODEPBlock(parsing: try [UInt8](hex: hex)) == block)
    #expect(block.octets.hex == hex)
  }

  @Test(arguments: [
    "", "0A", "06AABB", "A200", "A3FF", "E2", "F2", "F200", "F23C", "F20101", "C3", "C200", "D000", "22", "00",
  ])
  func `what is no block is refused`(hex: String) throws {
    #expect(ISODEPBlock(parsing: try [UInt8](hex: hex)) == nil)
  }

  /// ISO/IEC 14443-3:2018, annex B.1, both examples; and HLTA as nfc-anticol sends it.
  @Test(arguments: [("0000", "0000A01E"), ("1234", "123426CF"), ("5000", "500057CD")])
  func `frames carry the checksum of type A`(content: String, frame: String) throws {
    let checked = AirFrame(checked: try [UInt8](hex: content))
    #expect(checked.octets.hex == frame)
    #expect(checked.checkedOctets?.hex == content)
    var wrong = checked
    wrong.octets[0] ^= 0x01
    #expect(wrong.checkedOctets == nil)
  }

  // MARK: The card's half

  /// What the card hears and says; `=` gives it a response, `+` lets half its waiting time pass.
  static let cardScripts: [(name: String, turns: [(String, String)])] = [
    ("command and response", [("0200A4", "command 00A4"), ("=9000", "029000")]),
    ("numbers alternate", [("0201", "command 01"), ("=90", "0290"), ("0302", "command 02"), ("=91", "0391")]),
    ("a chained command", [("1201", "A2"), ("1302", "A3"), ("0203", "command 010203"), ("=90", "0290")]),
    ("a part that is asked for again", [("1201", "A2"), ("B2", "A2"), ("B3", "A2"), ("0302", "command 0102")]),
    ("a response that is lost", [("0201", "command 01"), ("=90", "0290"), ("B2", "0290"), ("B2", "0290")]),
    ("a command that is lost", [("B2", "A3"), ("0201", "command 01"), ("=90", "0290"), ("B3", "A2")]),
    (
      "a chained response",
      [
        ("0201", "command 01"), ("=000102030405060708090A0B0C0D0E", "12000102030405060708090A0B"),
        ("A2", "12000102030405060708090A0B"), ("A3", "030C0D0E"), ("A2", ""), ("B3", "030C0D0E"),
      ]
    ),
    ("more time", [("0201", "command 01"), ("+", "F201"), ("F201", ""), ("=90", "0290")]),
    ("more time, answered meanwhile", [("0201", "command 01"), ("+", "F201"), ("=90", ""), ("F201", "0290")]),
    (
      "more time, lost on the way",
      [("0201", "command 01"), ("+", "F201"), ("B2", "F201"), ("F201", ""), ("=90", "0290")]
    ),
    (
      "more time, twice",
      [("0201", "command 01"), ("+", "F201"), ("F201", ""), ("+", "F201"), ("F201", ""), ("=90", "0290")]
    ),
    (
      "impatience before the answer", [("0201", "command 01"), ("B2", ""), ("B3", "A2"), ("0302", ""), ("=90", "0290")]
    ),
    (
      "impatience before the second answer",
      [("0201", "command 01"), ("=90", "0290"), ("0302", "command 02"), ("B3", ""), ("=91", "0391")]
    ),
    ("time is over without a command", [("+", ""), ("=90", ""), ("F201", ""), ("A2", "")]),
    ("deselect", [("C2", "deselected C2")]),
    ("deselect during a command", [("0201", "command 01"), ("C2", "deselected C2"), ("=90", "")]),
    ("the card's identifier is echoed", [("0A0001", "command 01"), ("=90", "0A0090"), ("CA00", "deselected CA00")]),
    ("another card's blocks", [("0A0101", ""), ("CA03", ""), ("0201", "command 01")]),
    ("parameters are selected first or never", [("D01100", "D0"), ("0201", "command 01"), ("D01100", "")]),
    ("other bit rates", [("D01105", ""), ("0201", "command 01")]),
    ("noise", [("", ""), ("FF", ""), ("E0", ""), ("0201", "command 01")]),
  ]

  @Test(arguments: cardScripts)
  func `the card's half follows the rules`(name: String, turns: [(String, String)]) throws {
    var card = ISODEPCard(frameSize: 16, identifier: 0)
    for (event, expected) in turns {
      let step =
        switch event.first {
        case "=": card.answer(try [UInt8](hex: event.dropFirst()))
        case "+": card.extend()
        default: card.receive(try [UInt8](hex: event))
        }
      let said =
        switch step {
        case .silent: ""
        case .send(let block): block.hex
        case .command(let command): "command \(command.hex)"
        case .deselected(let block): "deselected \(block.hex)"
        }
      #expect(said == expected, "\(name), at \(event)")
    }
  }

  // MARK: The reader's half

  /// What the reader hears (`-` is nothing in time, `x` a damaged frame, `>` a command to send, `.` deselect) and says.
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
    ("more time", [(">01", "0201"), ("F203", "F203"), ("-", "B2"), ("F203", "F203"), ("0290", "response 90")]),
    ("silence", [(">01", "0201"), ("-", "B2"), ("-", "B2"), ("-", "B2"), ("-", "failed silent"), ("0290", "")]),
    ("noise", [(">01", "0201"), ("x", "B2"), ("x", "B2"), ("x", "B2"), ("x", "failed damaged")]),
    ("nonsense", [(">01", "0201"), ("0390", "B2"), ("E0", "B2"), ("C2", "B2"), ("A2", "failed violation")]),
    (
      "a card that never gets it",
      [(">01", "0201"), ("A3", "0201"), ("A3", "0201"), ("A3", "0201"), ("A3", "failed violation")]
    ),
    ("deselect", [(".", "C2"), ("-", "C2"), ("C2", "deselected"), ("C2", "")]),
    ("deselect without an answer", [(".", "C2"), ("-", "C2"), ("x", "C2"), ("02", "C2"), ("-", "deselected")]),
    ("nothing is expected", [("0290", ""), ("-", ""), ("x", "")]),
  ]

  @Test(arguments: readerScripts)
  func `the reader's half follows the rules`(name: String, turns: [(String, String)]) throws {
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

  @Test func `waiting times are the card's, its multiples, and never beyond the limit`() {
    var reader = ISODEPReader(Self.answer)
    guard case .send(_, let wait) = reader.transmit([0x01]) else { return #expect(Bool(false)) }
    #expect(wait == .nanoseconds(302_065 << 7))
    guard case .send(_, let longer) = reader.receive([0xF2, 0x03]) else { return #expect(Bool(false)) }
    #expect(longer == wait * 3)
    var slow = ISODEPReader(Self.answer([0x03, 0x20, 0xE0]))
    _ = slow.transmit([0x01])
    guard case .send(_, let longest) = slow.receive([0xF2, 0x3B]) else { return #expect(Bool(false)) }
    #expect(longest == .nanoseconds(302_065 << 14))
  }

  @Test func `octets of any kind are survived by both halves`() {
    var random = SplitMix64(seed: 2)
    var card = ISODEPCard(frameSize: 16, identifier: 0)
    var reader = ISODEPReader(Self.answer)
    let controls: [UInt8] = [0x02, 0x03, 0x12, 0x13, 0xA2, 0xA3, 0xB2, 0xB3, 0xC2, 0xF2, 0x0A, 0xD0]
    for _ in 0..<30_000 {
      let tail = (0..<Int.random(in: 0...4, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random)
      }
      let control =
        Bool.random(using: &random)
        ? controls.randomElement(using: &random)! : UInt8.random(in: .min ... .max, using: &random)
      if case .command = card.receive([control] + tail) { _ = card.answer(tail) }
      if Int.random(in: 0..<8, using: &random) == 0 { _ = card.extend() }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: _ = reader.transmit(tail)
      case 1: _ = reader.timedOut()
      default: _ = reader.receive([control] + tail)
      }
    }
  }
}
