import ISO7816
import Octets
import ReaderSimulator
import Testing

/// The blocks of ISO-DEP (ISO/IEC 14443-4:2018, 7.1), and random blocks on either side.
struct ISODEPTests {
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
  func `bytes that are not a block are refused`(hex: String) throws {
    #expect(ISODEPBlock(parsing: try [UInt8](hex: hex)) == nil)
  }

  /// Both examples of ISO/IEC 14443-3:2018, annex B.1, and HLTA as nfc-anticol sends it.
  @Test(arguments: [("0000", "0000A01E"), ("1234", "123426CF"), ("5000", "500057CD")])
  func `frames carry the checksum of type A`(content: String, frame: String) throws {
    let checked = AirFrame(checked: try [UInt8](hex: content))
    #expect(checked.octets.hex == frame)
    #expect(checked.checkedOctets?.hex == content)
    var wrong = checked
    wrong.octets[0] ^= 0x01
    #expect(wrong.checkedOctets == nil)
  }

  @Test func `random blocks never trap either side`() {
    var random = SplitMix64(seed: 2)
    var card = ISODEPCard(frameSize: 16, identifier: 0)
    var reader = ISODEPReader(ISODEPReaderTests.answer)
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
