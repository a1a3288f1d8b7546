import Octets
import Testing

@Suite("Integers as bytes")
struct BigEndianTests {
  @Test func `an integer is written in its full width with the most significant byte first`() {
    #expect(UInt8(0xAB).bigEndianOctets == [0xAB])
    #expect(UInt16(0x61).bigEndianOctets == [0x00, 0x61])
    #expect(UInt32(0x0102_0304).bigEndianOctets == [1, 2, 3, 4])
    #expect(UInt64.max.bigEndianOctets == [UInt8](repeating: 0xFF, count: 8))
  }

  @Test func `an integer is read from at most as many bytes as its width`() {
    #expect(UInt16(bigEndian: [] as [UInt8]) == 0)
    #expect(UInt16(bigEndian: [0x12] as [UInt8]) == 0x12)
    #expect(UInt16(bigEndian: [0x12, 0x34] as [UInt8]) == 0x1234)
    #expect(UInt16(bigEndian: [0, 0x12, 0x34] as [UInt8]) == nil)
    #expect(UInt8(bigEndian: [0xFF] as [UInt8]) == 0xFF)
    #expect(UInt64(bigEndian: [UInt8](repeating: 0xFF, count: 8)) == UInt64.max)
  }
}
