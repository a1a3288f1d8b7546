import EMVData
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

  @Test(arguments: UInt64(1)...8)
  func `a list gets the same values from terminal data and from a function`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var values: [ISO7816.Tag: [UInt8]] = [:]
    // More tags than one table of 64 slots has room for; values that are too short, right and too long.
    for raw in UInt32(0x9F00)..<0x9F40 where Bool.random(using: &generator) {
      let count = Int.random(in: 0...6, using: &generator)
      values[.init(rawValue: raw)] = (0..<count).map { _ in UInt8.random(in: 1...255, using: &generator) }
    }
    values[0x70] = [1, 2, 3]
    let entries = (UInt32(0x9F00)..<0x9F40).map { DataObjectList.Entry(tag: .init(rawValue: $0), count: 3) }
    let list = DataObjectList(entries: entries + [.init(tag: 0x70, count: 3), .init(tag: 0x5A, count: 2)])
    let data = TerminalData(values)
    #expect(list.values(from: data) == list.values { values[$0] })
    // Bytes that were there before are written over.
    var room = [UInt8](repeating: 0xEE, count: list.valueCount)
    room.withMutableOctets { list.write(into: &$0, from: data) }
    #expect(room == list.values(from: data))
  }

  @Test func `merged data replace the values of the same tag`() {
    var data = TerminalData([0x9A: [1], 0x9C: [2]])
    data.merge(TerminalData([0x9C: [3], 0x95: [4]]))
    #expect(data == TerminalData([0x95: [4], 0x9A: [1], 0x9C: [3]]))
  }
}
