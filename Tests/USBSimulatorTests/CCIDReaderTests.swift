import Octets
import Testing

@testable import USBSimulator

/// A reader's responses to the commands of USB CCID specification 1.1.
@Suite struct CCIDReaderTests {
  private static let now = Instant(nanoseconds: 0)

  private static func command(_ type: UInt8, slot: UInt8 = 0, _ content: [UInt8] = []) throws -> CCIDCommand {
    let octets = [type] + UInt32(content.count).littleEndianOctets + [slot, 7, 0, 0, 0] + content
    return try #require(CCIDCommand(octets))
  }

  private static func responses(_ steps: [CCIDReader.Step]) -> [[UInt8]] {
    steps.compactMap { if case .respond(let response) = $0 { response.octets } else { nil } }
  }

  /// Commands to an empty slot, and bStatus and bError of the responses.
  static let empty: [(type: UInt8, response: UInt8, status: UInt8, error: UInt8)] = [
    (0x65, 0x81, 0x02, 0x00), (0x62, 0x80, 0x42, 0xFE), (0x63, 0x81, 0x02, 0x00), (0x6F, 0x80, 0x42, 0xFE),
    (0x6C, 0x82, 0x02, 0x00), (0x69, 0x80, 0x42, 0x00), (0x55, 0x81, 0x42, 0x00),
  ]

  @Test(arguments: empty)
  func `an empty slot says that no card is there`(_ row: (type: UInt8, response: UInt8, status: UInt8, error: UInt8))
    throws
  {
    var reader = CCIDReader(CCIDDescription())
    let steps = reader.receive(try Self.command(row.type), at: Self.now)
    let octets = try #require(Self.responses(steps).first)
    #expect([octets[0], octets[6], octets[7], octets[8]] == [row.response, 7, row.status, row.error])
  }

  @Test func `a slot that does not exist, a cut command and a busy slot are refused`() throws {
    var reader = CCIDReader(CCIDDescription())
    #expect(Self.responses(reader.receive(try Self.command(0x65, slot: 1), at: Self.now)).first?[8] == 0x05)
    let cut = try #require(CCIDCommand([0x6F, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0x00]))
    #expect(Self.responses(reader.receive(cut, at: Self.now)).first?[8] == 0x01)
    _ = reader.setCard(.typeA(), slot: 0)
    _ = reader.receive(try Self.command(0x62), at: Self.now)
    #expect(Self.responses(reader.receive(try Self.command(0x6F, [0, 0xB2, 1, 12]), at: Self.now)).isEmpty)
    #expect(Self.responses(reader.receive(try Self.command(0x63), at: Self.now)).first?[8] == 0xE0)
  }

  @Test func `a card that is powered again is reset, so that it knows that its terminal has left`() throws {
    var reader = CCIDReader(CCIDDescription())
    _ = reader.setCard(.typeA(), slot: 0)
    #expect(reader.receive(try Self.command(0x62), at: Self.now).first == .power(slot: 0))
    #expect(reader.receive(try Self.command(0x62), at: Self.now).first == .reset(slot: 0))
    #expect(reader.receive(try Self.command(0x63), at: Self.now).first == .unpower(slot: 0))
    #expect(reader.receive(try Self.command(0x62), at: Self.now).first == .power(slot: 0))
  }

  @Test func `a reader asks for more time each second until the card has answered`() throws {
    var reader = CCIDReader(CCIDDescription())
    _ = reader.setCard(.typeA(), slot: 0)
    _ = reader.receive(try Self.command(0x62), at: Self.now)
    _ = reader.receive(try Self.command(0x6F, [0, 0xB2, 1, 12]), at: Self.now)
    #expect(reader.extend(at: Self.now + .milliseconds(999)).isEmpty)
    #expect(Self.responses(reader.extend(at: Self.now + .seconds(1))).map { $0[7] } == [0x80])
    #expect(reader.deadline == Self.now + .seconds(2))
    #expect(Self.responses(reader.answer([0x90, 0x00], slot: 0)).map { $0[7] } == [0x00])
    #expect(reader.deadline == nil)
  }

  @Test func `a card that leaves during a command is reported twice: as mute, and as gone`() throws {
    var reader = CCIDReader(CCIDDescription())
    #expect(reader.setCard(.typeA(), slot: 0) == [.notify([0x50, 0x03])])
    _ = reader.receive(try Self.command(0x62), at: Self.now)
    _ = reader.receive(try Self.command(0x6F, [0, 0xB2, 1, 12]), at: Self.now)
    let steps = reader.setCard(nil, slot: 0)
    #expect(Self.responses(steps).map { Array($0[7...8]) } == [[0x42, 0xFE]])
    #expect(steps.last == .notify([0x50, 0x02]))
  }

  @Test func `bytes that are no command are ignored, or refused`() {
    var (reader, random) = (CCIDReader(CCIDDescription()), SeededRandomSource(seed: 5))
    _ = reader.setCard(.typeB(), slot: 0)
    for count in 0..<2000 {
      guard let command = CCIDCommand(random.octets(count % 40)) else { continue }
      _ = reader.receive(command, at: Self.now)
    }
  }

  @Test func `a card with T=1 sends a long response in blocks, and each again when it is asked`() {
    var card = BlockCard()
    let block = { (control: UInt8, information: [UInt8]) in
      let body = [0, control, UInt8(information.count)] + information
      return body + [body.reduce(0, ^)]
    }
    #expect(card.receive(block(0xC1, [64])) == .send(block(0xE1, [64])))
    #expect(card.receive(block(0x20, [0, 0xB2])) == .send(block(0x90, [])))
    #expect(card.receive(block(0x40, [1, 12])) == .command([0, 0xB2, 1, 12]))
    let first = card.answer([UInt8](repeating: 5, count: 100))
    #expect(first.count == 68)
    #expect(card.receive(block(0x80, [])) == .send(first))
    #expect(card.receive(block(0x90, [])) == .send(block(0x40, [UInt8](repeating: 5, count: 36))))
  }
}
