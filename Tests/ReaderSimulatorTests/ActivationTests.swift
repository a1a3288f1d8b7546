import Octets
import ReaderSimulator
import Testing

/// The activation from REQA to the ATS, on the side of the reader and of the card (ISO/IEC 14443-3:2018, 6;
/// 14443-4:2018, 5).
///
/// Frames are hexadecimal; `#` appends the checksum, `~` sends 7 bits, `x` damages the frame, and `-` is no frame.
struct ActivationTests {
  private static func frame(_ text: String) throws -> AirFrame {
    let marks = text.prefix { "#~x".contains($0) }
    let octets = try [UInt8](hex: text.dropFirst(marks.count))
    var frame =
      marks.contains("#") ? AirFrame(checked: octets) : AirFrame(octets, lastBits: marks.contains("~") ? 7 : 0)
    frame.isDamaged = marks.contains("x")
    return frame
  }

  private static func text(_ frame: AirFrame) -> String {
    frame.checkedOctets.map { "#" + $0.hex } ?? frame.octets.hex
  }

  // MARK: The reader's side

  /// The frames that the reader receives and sends after its REQA.
  static let readerScripts: [(name: String, turns: [(String, String)])] = [
    (
      "four bytes",
      [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("#20", "#E050"), ("#0578807002", "card 085AC31E")]
    ),
    ("without ISO/IEC 14443-4", [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("#08", "card 085AC31E")]),
    (
      "seven bytes",
      [
        ("4400", "9320"), ("880401028F", "#9370880401028F"), ("#04", "9520"), ("0304050604", "#95700304050604"),
        ("#08", "card 04010203040506"),
      ]
    ),
    (
      "a fourth level",
      [
        ("8400", "9320"), ("880401028F", "#9370880401028F"), ("#04", "9520"), ("880304058A", "#9570880304058A"),
        ("#04", "9720"), ("8806070881", "#97708806070881"), ("#04", ""),
      ]
    ),
    ("a next level without a cascade tag", [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("#04", "")]),
    ("silence", [("-", "")]), ("a damaged ATQA", [("x0400", "")]), ("half an ATQA", [("04", "")]),
    ("a wrong BCC", [("0400", "9320"), ("085AC31E8E", "")]),
    ("an identifier without BCC", [("0400", "9320"), ("085AC31E", "")]),
    ("a SAK with a wrong checksum", [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("200000", "")]),
    ("a SAK of two bytes", [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("#2020", "")]),
    ("half an ATS", [("0400", "9320"), ("085AC31E8F", "#9370085AC31E8F"), ("#20", "#E050"), ("#057880", "")]),
  ]

  @Test(arguments: readerScripts)
  func `a reader activates a card step by step, and any error ends the attempt`(
    name: String, turns: [(String, String)]
  ) throws {
    var activation = TypeAActivation(wakesHalted: false, asksForAnswer: true)
    for (heard, expected) in turns {
      let step = activation.receive(heard == "-" ? nil : try Self.frame(heard))
      let said =
        switch step {
        case .send(let frame, _): Self.text(frame)
        case .found(let card): "card \(card.identifier.hex)"
        case .nothing: ""
        }
      #expect(said == expected, "\(name), at \(heard)")
    }
  }

  // MARK: The card's side

  private static let met = [("~26", "0400"), ("9320", "085AC31E8F")]
  private static let found = met + [("#9370085AC31E8F", "#20")]
  private static let activated = found + [("#E050", "activated #0578807002")]
  /// An error leads back to the state in which REQA is answered.
  private static let forgotten = [("9320", ""), ("~26", "0400")]

  /// The frames that a card receives and sends.
  static let cardScripts: [(name: String, turns: [(String, String)])] = [
    ("activated", activated + [("#0200A4", "command 00A4")]),
    ("any card's request", [("~52", "0400"), ("9320", "085AC31E8F")]),
    ("no request", [("26", ""), ("~20", ""), ("x~26", ""), ("#26", ""), ("9320", ""), ("~26", "0400")]),
    ("another card's SELECT", met + [("#9370085AC31F8E", "")] + forgotten),
    ("SELECT with a wrong BCC", met + [("#9370085AC31E8E", "")] + forgotten),
    ("SELECT with a wrong checksum", met + [("9370085AC31E8F0000", "")] + forgotten),
    ("SELECT of the next level", met + [("9520", "")] + forgotten),
    ("RATS with the largest CID", found + [("#E05E", "activated #0578807002")]),
    ("RATS with a reserved CID", found + [("#E05F", "")] + forgotten),
    ("RATS with a wrong checksum", found + [("E0500000", "")] + forgotten),
    ("a command before RATS", found + [("#0200A4", "")] + forgotten),
    ("a sleeping card", found + [("#5000", "halted"), ("~26", ""), ("~52", "0400"), ("9320", "085AC31E8F")]),
    ("a sleeper that is disturbed", found + [("#5000", "halted"), ("~52", "0400"), ("FF", ""), ("~26", "")]),
    ("a deselected card", activated + [("#C2", "halted #C2"), ("#0200A4", ""), ("~26", ""), ("~52", "0400")]),
    ("a damaged block", activated + [("x#0200A4", ""), ("0200A40000", ""), ("#0200A4", "command 00A4")]),
  ]

  @Test(arguments: cardScripts)
  func `a card answers valid frames, and any error leads back to its start`(
    name: String, turns: [(String, String)]
  ) throws {
    var card = ProximityCard(ProximityIdentity())
    card.power()
    try Self.play(turns, to: &card, name)
  }

  @Test func `a card without ISO-DEP passes on each frame, and can be halted`() throws {
    var card = ProximityCard(ProximityIdentity(), speaksProtocol: false)
    card.power()
    let turns = [("#3004", "unframed #3004"), ("#5000", "unframed #5000"), ("~26", ""), ("~26", ""), ("~52", "0400")]
    try Self.play(Self.found + turns, to: &card, "a card without the protocol")
  }

  private static func play(_ turns: [(String, String)], to card: inout ProximityCard, _ name: String) throws {
    for (heard, expected) in turns {
      let step = card.receive(try frame(heard))
      let said =
        switch step {
        case .silent: ""
        case .send(let frame): text(frame)
        case .activated(_, let frame): "activated \(text(frame))"
        case .command(let command): "command \(command.hex)"
        case .halted(let frame): frame.map { "halted \(text($0))" } ?? "halted"
        case .unframed(let frame): "unframed \(text(frame))"
        }
      #expect(said == expected, "\(name), at \(heard)")
    }
  }
}
