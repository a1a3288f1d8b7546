import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

@Suite("Personalisation files")
struct PersonalisationTests {
  static func shipped() throws -> [UInt8] { try [UInt8](Fixtures.data("Cards/cps-visa.txt")) }

  /// The shipped file with the data of one grouping changed, or without the grouping.
  static func changed(_ identifier: UInt16, _ data: [UInt8]?) throws -> PersonalisationFile {
    let file = try PersonalisationFile(parsing: shipped())
    let groupings = file.groupings.compactMap { grouping in
      grouping.identifier == identifier ? data.map { DataGrouping(identifier, $0) } : grouping
    }
    return PersonalisationFile(groupings, directives: file.directives)
  }

  // MARK: Reading

  @Test(arguments: [
    (0, "00"), (1, "01"), (254, "FE"), (255, "FF00FF"), (256, "FF0100"), (65_535, "FFFFFF"),
  ])
  func `lengths of one and of three bytes are read and written`(_ count: Int, _ length: String) throws {
    let grouping = DataGrouping(0x0101, [UInt8](repeating: 0x5A, count: count))
    #expect(Array(grouping.encoded.prefix(2 + length.utf8.count / 2)).hex == "0101" + length)
    let octets = grouping.encoded + DataGrouping(0x9103, [1, 2, 3]).encoded
    let file = try PersonalisationFile(parsing: octets)
    #expect(file.groupings.map(\.identifier) == [0x0101, 0x9103])
    #expect(file.groupings.map(\.count) == [count, 3])
    #expect(file.groupings[1].data == [1, 2, 3])
    #expect(file.groupings[1].offset == grouping.encoded.count)
    #expect(file.encoded == octets)
  }

  /// Bytes and their problem.
  static let broken: [(octets: String, problem: String)] = [
    ("", "offset 0: no data groupings"),
    ("01", "offset 0: the file ends inside a data grouping identifier of 2 bytes"),
    ("0101", "DGI 0101 at offset 0: the file ends inside the length"),
    ("0101FF", "DGI 0101 at offset 0: the file ends inside the length"),
    ("0101FF01", "DGI 0101 at offset 0: the file ends inside the length"),
    ("010101", "DGI 0101 at offset 0: the length is 1 byte, but 0 are left"),
    ("0101FF010000", "DGI 0101 at offset 0: the length is 256 bytes, but 1 are left"),
    ("01010142" + "910302AA", "DGI 9103 at offset 4: the length is 2 bytes, but 1 are left"),
    ("01010142" + "91", "offset 4: the file ends inside a data grouping identifier of 2 bytes"),
  ]

  @Test(arguments: broken.indices)
  func `a file that is cut off is an error with its place, in binary and in text`(_ row: Int) throws {
    let (octets, problem) = Self.broken[row]
    let expected = "the personalisation file has a problem:\n  \(problem)"
    let binary = try [UInt8](hex: octets)
    let one = #expect(throws: PersonalisationError.self) { try PersonalisationFile(parsing: binary) }
    #expect(one?.description == expected)
    let two = #expect(throws: PersonalisationError.self) { try PersonalisationFile(parsing: Array(octets.utf8)) }
    #expect(two?.description == expected)
  }

  static let brokenText: [(text: String, problem: String)] = [
    ("0101 0142\n91030", "line 2 is not whole bytes in hexadecimal"),
    ("0101 01 4X", "line 1 is not whole bytes in hexadecimal"),
    ("#@ colour red\n0101 01 42", "line 1 has an unknown name after #@: the names are aid, name, uses, first-atc"),
    ("0101 01 42 #@ name", "line 1 has no value after #@ name"),
    ("#@ name a\n#@ name b\n0101 01 42", "line 2 has #@ name for the second time"),
  ]

  @Test(arguments: brokenText.indices)
  func `unreadable text is an error with its line and without its content`(_ row: Int) {
    let (text, problem) = Self.brokenText[row]
    let error = #expect(throws: PersonalisationError.self) { try PersonalisationFile(parsing: Array(text.utf8)) }
    #expect(error?.problems.map(\.message) == [problem])
  }

  @Test func `text, binary and JSON are distinguished`() throws {
    let text = try PersonalisationFile(parsing: Self.shipped())
    let open = PersonalisationFile(text.groupings.filter { !$0.isSecret })
    let binary = try PersonalisationFile(parsing: open.encoded)
    #expect(binary.groupings.map(\.data) == open.groupings.map(\.data))
    #expect(PersonalisationFile.recognises(try Self.shipped()))
    #expect(PersonalisationFile.recognises(open.encoded))
    #expect(!PersonalisationFile.recognises(try shippedJSON("visa-cvn18")))
    for json in ["", "  \n", "[]", " {\"a\": 1}", "\"x\""] {
      #expect(!PersonalisationFile.recognises(Array(json.utf8)))
    }
  }

  @Test func `a file of 256 groupings and 256 KiB is read; a larger one is an error`() throws {
    let one = DataGrouping(0x7FF0, []).encoded
    let most = Array(repeating: one, count: PersonalisationFile.maximumGroupings).flatMap(\.self)
    #expect(try PersonalisationFile(parsing: [0x01, 0x01, 0x00] + most.dropLast(3)).groupings.count == 256)
    let tooMany = #expect(throws: PersonalisationError.self) {
      try PersonalisationFile(parsing: [0x01, 0x01, 0x00] + most)
    }
    #expect(tooMany?.problems.first?.message == "there are more data groupings: the limit is 256")
    let tooLong = #expect(throws: PersonalisationError.self) {
      try PersonalisationFile(parsing: [UInt8](repeating: 0, count: PersonalisationFile.maximumCount + 1))
    }
    #expect(tooLong?.problems.first?.message == "the file has 262145 bytes: the limit is 262144")
  }
}
