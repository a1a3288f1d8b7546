import Octets
import Testing

@Suite("Hexadecimal text")
struct HexTests {
  static let readable: [(String, [UInt8])] = [
    ("", []), ("00", [0]), ("0aF9", [0x0A, 0xF9]), (" 6F\t1A\n84\r\n07 ", [0x6F, 0x1A, 0x84, 0x07]),
    ("9 0 0 0", [0x90, 0x00]), ("ABCDEFabcdef", [0xAB, 0xCD, 0xEF, 0xAB, 0xCD, 0xEF]),
  ]

  @Test(arguments: readable)
  func `white space and either case are read`(_ text: String, _ octets: [UInt8]) throws {
    #expect(try [UInt8](hex: text) == octets)
  }

  static let faulty: [(String, OctetsError)] = [
    ("0", OctetsError(.oddDigitCount(1), at: 1)), ("00 1", OctetsError(.oddDigitCount(3), at: 4)),
    ("0G", OctetsError(.notHexadecimal("G"), at: 1)), ("00:11", OctetsError(.notHexadecimal(":"), at: 2)),
    ("0x00", OctetsError(.notHexadecimal("x"), at: 1)), ("-1", OctetsError(.notHexadecimal("-"), at: 0)),
    // Unicode classifies full-width digits as hexadecimal; this reader does not.
    ("\u{FF11}\u{FF11}", OctetsError(.notHexadecimal("\u{FF11}"), at: 0)),
    ("A\u{301}A", OctetsError(.notHexadecimal("A\u{301}"), at: 0)),
  ]

  @Test(arguments: faulty)
  func `any other character is an error at its position`(_ text: String, _ expected: OctetsError) {
    #expect(throws: expected) { try [UInt8](hex: text) }
  }

  @Test func `every byte is written as two upper-case digits and read back`() throws {
    let all = [UInt8](0...255)
    #expect(all.hex.count == 512)
    #expect(all.hex.hasPrefix("000102030405060708090A0B"))
    #expect(all.hex.hasSuffix("FDFEFF"))
    #expect(try [UInt8](hex: all.hex) == all)
    #expect(try [UInt8](hex: all.hex.lowercased()) == all)
    #expect(all[3..<6].hex == "030405")
    #expect(all.span.extracting(254..<256).hex == "FEFF")
  }

  @Test func `integers are written at full width`() {
    #expect(UInt8(0).hex == "00")
    #expect(UInt8(0xA5).hex == "A5")
    #expect(UInt16(0x61).hex == "0061")
    #expect(UInt32(0xDEAD_BEEF).hex == "DEADBEEF")
    #expect(UInt64(1).hex == "0000000000000001")
  }
}
