import Octets
import ReaderSimulator
import Testing

/// The card's side of ISO-DEP (ISO/IEC 14443-4:2018, 7.5).
struct ISODEPCardTests {
  /// The blocks that the card receives and sends. `=` is the response of the card, `+` is the end of half its waiting
  /// time.
  static let cardScripts: [(name: String, turns: [(String, String)])] = [
    ("command and response", [("0200A4", "command 00A4"), ("=9000", "029000")]),
    ("numbers alternate", [("0201", "command 01"), ("=90", "0290"), ("0302", "command 02"), ("=91", "0391")]),
    ("a chained command", [("1201", "A2"), ("1302", "A3"), ("0203", "command 010203"), ("=90", "0290")]),
    ("a repeated part", [("1201", "A2"), ("B2", "A2"), ("B3", "A2"), ("0302", "command 0102")]),
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
    ("more time, with an early response", [("0201", "command 01"), ("+", "F201"), ("=90", ""), ("F201", "0290")]),
    (
      "more time, lost on the way",
      [("0201", "command 01"), ("+", "F201"), ("B2", "F201"), ("F201", ""), ("=90", "0290")]
    ),
    (
      "more time, twice",
      [("0201", "command 01"), ("+", "F201"), ("F201", ""), ("+", "F201"), ("F201", ""), ("=90", "0290")]
    ),
    (
      "R(NAK) before the response", [("0201", "command 01"), ("B2", ""), ("B3", "A2"), ("0302", ""), ("=90", "0290")]
    ),
    (
      "R(NAK) before the second response",
      [("0201", "command 01"), ("=90", "0290"), ("0302", "command 02"), ("B3", ""), ("=91", "0391")]
    ),
    ("end of the waiting time without a command", [("+", ""), ("=90", ""), ("F201", ""), ("A2", "")]),
    ("deselect", [("C2", "deselected C2")]),
    (
      "deselect within a response",
      [
        ("0201", "command 01"), ("=000102030405060708090A0B0C0D0E", "12000102030405060708090A0B"),
        ("C2", "deselected C2"), ("A3", ""),
      ]
    ),
    ("deselect during a command", [("0201", "command 01"), ("C2", "deselected C2"), ("=90", "")]),
    ("the card's identifier is echoed", [("0A0001", "command 01"), ("=90", "0A0090"), ("CA00", "deselected CA00")]),
    ("another card's blocks", [("0A0101", ""), ("CA03", ""), ("0201", "command 01")]),
    ("parameters are selected first or never", [("D01100", "D0"), ("0201", "command 01"), ("D01100", "")]),
    ("other bit rates", [("D01105", ""), ("0201", "command 01")]),
    ("bytes that are not a block", [("", ""), ("FF", ""), ("E0", ""), ("0201", "command 01")]),
  ]

  @Test(arguments: cardScripts)
  func `the card's side follows the rules of ISO-DEP`(name: String, turns: [(String, String)]) throws {
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

  @Test func `a card's blocks fit the reader's frames, with the identifier and the checksum`() {
    var card = ISODEPCard(frameSize: 16, identifier: 5)
    #expect(card.receive([0x0A, 0x05, 0x01]) == .command([0x01]))
    #expect(card.answer([UInt8](0..<13)) == .send([0x1A, 0x05] + [UInt8](0..<12)))
  }

  @Test func `a command has at most 65544 bytes`() {
    var card = ISODEPCard(frameSize: 16, identifier: 0)
    #expect(card.receive([0x12] + [UInt8](repeating: 0, count: 65_544)) == .send([0xA2]))
    #expect(card.receive([0x03, 0x01]) == .silent)
    #expect(card.receive([0x03]) == .command([UInt8](repeating: 0, count: 65_544)))
  }
}
