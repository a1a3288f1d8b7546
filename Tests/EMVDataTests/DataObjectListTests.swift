import EMVData
import ISO7816
import Octets
import Testing

@Suite("Data object lists")
struct DataObjectListTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let rule: String
    let list: String
    let values: [UInt32: String]
    let expected: String
    var testDescription: String { rule }
  }

  static let cases: [Case] = [
    Case(
      rule: "a value of the right length goes as it is", list: "9F3704", values: [0x9F37: "01020304"],
      expected: "01020304"),
    Case(rule: "an absent value gives zeros", list: "9F3704", values: [:], expected: "00000000"),
    Case(rule: "an empty value gives zeros", list: "5A02", values: [0x5A: ""], expected: "0000"),
    Case(rule: "an unknown tag gives zeros", list: "DF7F03", values: [:], expected: "000000"),
    Case(
      rule: "a template gives zeros though there is a value", list: "7002", values: [0x70: "8101"], expected: "0000"),
    Case(rule: "a repeated tag gives its value again", list: "9C019C01", values: [0x9C: "20"], expected: "2020"),
    Case(
      rule: "the order of the list is kept", list: "9C019F3704", values: [0x9C: "20", 0x9F37: "01020304"],
      expected: "2001020304"),
    Case(
      rule: "a length of zero gives nothing", list: "9C009F3701", values: [0x9C: "20", 0x9F37: "01"], expected: "01"),
    // n
    Case(
      rule: "n too long keeps the right end", list: "9F0204", values: [0x9F02: "000012345678"], expected: "12345678"),
    Case(rule: "n too short gets leading zeros", list: "9F0206", values: [0x9F02: "1234"], expected: "000000001234"),
    // cn
    Case(
      rule: "cn too long keeps the left end", list: "5A04", values: [0x5A: "4761739001010010"], expected: "47617390"),
    Case(
      rule: "cn too short gets trailing F", list: "5A0A", values: [0x5A: "4761739001010010"],
      expected: "4761739001010010FFFF"),
    // b
    Case(rule: "b too long keeps the left end", list: "9502", values: [0x95: "0102030405"], expected: "0102"),
    Case(rule: "b too short gets trailing zeros", list: "9506", values: [0x95: "0102030405"], expected: "010203040500"),
    // an
    Case(
      rule: "an too long keeps the left end", list: "9F1C03", values: [0x9F1C: "5445524D30303031"], expected: "544552"),
    Case(
      rule: "an too short gets trailing zeros", list: "9F1C0A", values: [0x9F1C: "5445524D30303031"],
      expected: "5445524D303030310000"),
    // ans
    Case(rule: "ans too short gets trailing zeros", list: "9F4E04", values: [0x9F4E: "4142"], expected: "41420000"),
    // Not in the dictionary: treated as binary.
    Case(
      rule: "an element of no known format is cut at the right", list: "DF7F01", values: [0xDF7F: "0102"],
      expected: "01"),
  ]

  @Test(arguments: cases)
  func `values are fitted to the lengths of the list`(_ row: Case) throws {
    let list = try DataObjectList(parsing: [UInt8](hex: row.list))
    let values = try row.values.mapValues { try [UInt8](hex: $0) }
    #expect(list.values { values[$0.rawValue] }.hex == row.expected)
    #expect(list.valueCount == row.expected.count / 2)
  }

  @Test func `a list is written back to the same bytes`() throws {
    let octets = try [UInt8](hex: "9F66049F02069F03069F1A0295055F2A029A039C019F37049F4E14")
    let list = try DataObjectList(parsing: octets)
    #expect(list.entries.count == 10)
    #expect(list.encoded == octets)
    #expect(list.valueCount == 53)
    #expect(list.range(of: .unpredictableNumber) == 29..<33)
    #expect(list.range(of: .transactionTime) == nil)
  }

  @Test func `a repeated tag has the place of its first entry`() throws {
    let list = try DataObjectList(parsing: [UInt8](hex: "9A039C019C01"))
    #expect(list.range(of: .transactionType) == 3..<4)
    #expect(list.split([1, 2, 3, 4, 5]).map(\.value) == [[1, 2, 3], [4], [5]])
  }

  @Test(arguments: [("9A7F", 127), ("9A80", 128), ("9AFF", 255), ("9AFF9F37049CFF", 514)])
  func `a length is one byte, 0 to 255`(_ hex: String, _ count: Int) throws {
    let list = try DataObjectList(parsing: [UInt8](hex: hex))
    #expect(list.valueCount == count)
    #expect(list.encoded.hex == hex)
    #expect(list.split([UInt8](repeating: 1, count: count)).map(\.value.count) == list.entries.map(\.count))
  }

  @Test(arguments: [("9F", 0), ("9F37", 0), ("9A039F", 2), ("9F8181", 0), ("9A03DF818101", 2)])
  func `A list that is cut off or malformed is refused with its offset`(_ hex: String, _ offset: Int) throws {
    let octets = try [UInt8](hex: hex)
    let fault = #expect(throws: DataObjectList.Fault.self) { try DataObjectList(parsing: octets) }
    #expect(fault?.description.contains("offset \(offset)") == true)
  }

  @Test func `splitting ends before the first value that is cut off`() throws {
    let list = try DataObjectList(parsing: [UInt8](hex: "9A039F02069C01"))
    let parts = list.split([0x26, 0x01, 0x31, 0x00, 0x00])
    #expect(parts.map(\.tag) == [.transactionDate])
  }
}
