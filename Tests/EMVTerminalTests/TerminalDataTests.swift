import EMVTerminal
import ISO7816
import Octets
import Testing

@Suite("Data elements of a terminal")
struct TerminalDataTests {
  @Test(arguments: UInt64(1)...8)
  func `terminal data hold the values that a dictionary holds after the same changes`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var data = TerminalData([0x9F1A: [0x02, 0x76], 0x95: [0]])
    var values: [ISO7816.Tag: [UInt8]] = [0x9F1A: [0x02, 0x76], 0x95: [0]]
    for _ in 0..<200 {
      let tag = ISO7816.Tag(rawValue: 0x9F00 + UInt32.random(in: 0..<24, using: &generator))
      let value: [UInt8]? = Bool.random(using: &generator) ? [UInt8.random(in: 0...255, using: &generator)] : nil
      data[tag] = value
      values[tag] = value
    }
    for raw in UInt32(0x9EFF)...0x9F18 {
      let tag = ISO7816.Tag(rawValue: raw)
      #expect(data[tag] == values[tag])
    }
    #expect(data[0x95] == [0])
    #expect(data == TerminalData(values))
  }

  @Test func `merged data replace the values of the same tag`() {
    var data = TerminalData([0x9A: [1], 0x9C: [2]])
    data.merge(TerminalData([0x9C: [3], 0x95: [4]]))
    #expect(data == TerminalData([0x95: [4], 0x9A: [1], 0x9C: [3]]))
  }
}
