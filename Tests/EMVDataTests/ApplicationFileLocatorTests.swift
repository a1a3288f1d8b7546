import EMVData
import Octets
import Testing

@Suite("Application file locator")
struct ApplicationFileLocatorTests {
  @Test func `records are read strictly from left to right`() throws {
    let locator = try ApplicationFileLocator(parsing: [UInt8](hex: "1803040108010100"))
    #expect(locator.records.map { [$0.sfi, $0.record] } == [[3, 3], [3, 4], [1, 1]])
    #expect(locator.entries.map(\.authenticatedCount) == [1, 0])
    #expect(locator.encoded.hex == "1803040108010100")
  }

  @Test(arguments: ["08010100", "F0010100", "08FFFF00", "08FFFF01", "08010101", "0801FFFF", "08010303"])
  func `the smallest and the largest values are accepted`(_ hex: String) throws {
    #expect(try ApplicationFileLocator(parsing: [UInt8](hex: hex)).encoded.hex == hex)
  }

  typealias Fault = ApplicationFileLocator.Fault

  static let refused: [(String, Fault)] = [
    ("", .length(0)), ("080101", .length(3)), ("0801010008", .length(5)),
    ("00010100", .file(entry: 1, octet: 0x00)), ("F8010100", .file(entry: 1, octet: 0xF8)),
    ("09010100", .file(entry: 1, octet: 0x09)), ("0C010100", .file(entry: 1, octet: 0x0C)),
    ("0801010004010100", .file(entry: 2, octet: 0x04)),
    ("08000100", .records(entry: 1)), ("08020100", .records(entry: 1)), ("08010102", .records(entry: 1)),
    ("08020304", .records(entry: 1)), ("0801010010000000", .records(entry: 2)),
    ("0801FF0010010100", .tooManyRecords(256, limit: 255)),
  ]

  @Test(arguments: refused)
  func `each fault has its own error`(_ hex: String, _ fault: Fault) throws {
    let octets = try [UInt8](hex: hex)
    #expect(throws: fault) { try ApplicationFileLocator(parsing: octets) }
    #expect(!fault.description.isEmpty)
  }
}
