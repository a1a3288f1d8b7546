import Octets
import ReaderSimulator
import Testing

/// The activation of a card of type B, on the side of the reader and of the card (ISO/IEC 14443-3:2018, 7).
///
/// Frames are hexadecimal with their checksum appended; `!` leaves the checksum out, and `-` is no frame.
struct TypeBActivationTests {
  private static let answer = "50505AC31E00000000008181"

  private static func frame(_ text: String) throws -> AirFrame {
    guard text.hasPrefix("!") else { return AirFrame(checked: try [UInt8](hex: text), .typeB) }
    var frame = AirFrame(try [UInt8](hex: text.dropFirst()))
    frame.modulation = .typeB
    return frame
  }

  /// The frames that the reader receives and sends after its REQB.
  static let readerScripts: [(name: String, turns: [(String, String)])] = [
    ("a card", [(answer, "1D505AC31E00050100"), ("00", "card 505AC31E")]),
    ("silence", [("-", "")]), ("half an ATQB", [("50505AC31E", "")]), ("no ATQB", [("51505AC31E00000000008181", "")]),
    ("a wrong checksum", [("!50505AC31E000000000081810000", "")]),
    ("no answer to ATTRIB", [(answer, "1D505AC31E00050100"), ("-", "")]),
  ]

  @Test(arguments: readerScripts)
  func `a reader activates a card in two steps, and any error ends the attempt`(
    name: String, turns: [(String, String)]
  ) throws {
    var activation = TypeBActivation(wakesHalted: false)
    for (received, expected) in turns {
      let sent =
        switch activation.receive(received == "-" ? nil : try Self.frame(received)) {
        case .send(let frame, _): frame.checkedOctets?.hex ?? "without a checksum"
        case .found(let card): "card \(card.identifier.hex)"
        case .nothing: ""
        }
      #expect(sent == expected, "\(name), at \(received)")
    }
  }

  private static let met = [("050000", answer)]
  private static let activated = met + [("1D505AC31E00080100", "activated 00")]

  /// The frames that a card receives and sends.
  static let cardScripts: [(name: String, turns: [(String, String)])] = [
    ("activated", activated + [("0200A4", "command 00A4")]),
    ("any request", [("050008", answer), ("050000", answer)]),
    ("another application family", [("051000", ""), ("050000", answer)]),
    ("no request", [("0500", ""), ("060000", ""), ("!0500000000", ""), ("1D505AC31E00080100", "")]),
    ("another card's ATTRIB", met + [("1D505AC31F00080100", ""), ("1D505AC31E00080100", "activated 00")]),
    ("a reserved CID", met + [("1D505AC31E0008010F", "")]), ("a CID", met + [("1D505AC31E00080103", "activated 03")]),
    ("a command before ATTRIB", met + [("0200A4", "")]),
    ("a sleeping card", met + [("50505AC31E", "halted 00"), ("050000", ""), ("050008", answer)]),
    ("a deselected card", activated + [("C2", "halted C2"), ("0200A4", ""), ("050000", ""), ("050008", answer)]),
  ]

  @Test(arguments: cardScripts)
  func `a card of type B answers the frames for it alone`(name: String, turns: [(String, String)]) throws {
    var card = ProximityCard(TypeBIdentity())
    card.power()
    for (received, expected) in turns {
      let sent =
        switch card.receive(try Self.frame(received)) {
        case .silent: ""
        case .send(let frame): frame.checkedOctets?.hex ?? ""
        case .activated(_, let frame): "activated \(frame.checkedOctets?.hex ?? "")"
        case .command(let command): "command \(command.hex)"
        case .halted(let frame): "halted \(frame?.checkedOctets?.hex ?? "")"
        case .unframed: "unframed"
        }
      #expect(sent == expected, "\(name), at \(received)")
    }
  }

  @Test func `no frame of one type reaches a card of the other one`() {
    var card = ProximityCard(ProximityIdentity())
    card.power()
    #expect(card.receive(AirFrame(checked: [0x05, 0x00, 0x00], .typeB)) == .silent)
    var other = ProximityCard(TypeBIdentity())
    other.power()
    #expect(other.receive(AirFrame([0x26], lastBits: 7)) == .silent)
    #expect(other.receive(AirFrame(checked: [0x05, 0x00, 0x00])) == .silent)
  }

  // MARK: At a chip

  private static let list: [UInt8] = [0x4A, 0x01, 0x03, 0x00]
  private static let found: [UInt8] = [
    0x4B, 0x01, 0x01, 0x50, 0x50, 0x5A, 0xC3, 0x1E, 0x00, 0x00, 0x00, 0x00, 0x00, 0x81, 0x81, 0x01, 0x00,
  ]

  @Test func `a chip finds a card of type B, exchanges commands with it, and finds it again after a new field`() {
    var harness = FieldHarness(.cardOfTypeB(TypeBIdentity()))
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x02])
    #expect(harness.run([0x4A, 0x01, 0x00]) == [0x4B, 0x00])
    #expect(harness.run(Self.list) == Self.found)
    #expect(harness.run([0x40, 0x01, 0x00, 0xA4]) == [0x41, 0x00, 0xA4, 0x00, 0x90, 0x00])
    #expect(harness.run([0x44, 0x00]) == [0x45, 0x00])
    #expect(harness.run(Self.list) == [0x4B, 0x00])
    for isOn: UInt8 in [0, 1] { _ = harness.run([0x32, 0x01, isOn]) }
    #expect(harness.run(Self.list) == Self.found)
  }

  @Test func `a chip finds each of two cards of different types`() {
    var harness = FieldHarness(.cards(ProximityIdentity(), TypeBIdentity()))
    _ = harness.run([0x32, 0x05, 0x00, 0x01, 0x02])
    #expect(harness.run(Self.list) == Self.found)
    #expect(harness.run([0x44, 0x00]) == [0x45, 0x00])
    #expect(harness.run([0x4A, 0x01, 0x00])?.prefix(2) == [0x4B, 0x01])
  }

  @Test(arguments: [([0x23, 0x20], 0x23), ([0x20, 0x23], 0x23), ([0x03], 0x03)] as [([UInt8], UInt8)])
  func `a chip polls for the types that the host names`(kinds: [UInt8], found: UInt8) {
    var harness = FieldHarness(.cardOfTypeB(TypeBIdentity()))
    #expect(harness.run([0x60, 0x02, 0x01] + kinds)?.prefix(3) == [0x61, 0x01, found])
  }
}
