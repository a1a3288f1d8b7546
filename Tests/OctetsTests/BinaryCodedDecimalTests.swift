import Octets
import Testing

@Suite("Binary-coded decimal")
struct BinaryCodedDecimalTests {
  static let readable: [(String, UInt64)] = [
    ("", 0), ("00", 0), ("09", 9), ("10", 10), ("000000005065", 5065), ("999999999999", 999_999_999_999),
    ("999999999999999999", 999_999_999_999_999_999), ("0000000000000000000000001234", 1234),
    ("18446744073709551615", .max),
  ]

  @Test(arguments: readable)
  func `all digits are one number`(_ hex: String, _ value: UInt64) throws {
    let octets = try [UInt8](hex: hex)
    #expect(try BinaryCodedDecimal.value(of: octets.span) == value)
  }

  static let faulty: [(String, OctetsError)] = [
    ("0A", OctetsError(.notDecimal(nibble: 0xA), at: 0)), ("F0", OctetsError(.notDecimal(nibble: 0xF), at: 0)),
    ("12345C", OctetsError(.notDecimal(nibble: 0xC), at: 2)),
    ("18446744073709551616", OctetsError(.decimalTooLarge, at: 9)),
    ("99999999999999999999", OctetsError(.decimalTooLarge, at: 9)),
    ("0184467440737095516150", OctetsError(.decimalTooLarge, at: 10)),
  ]

  @Test(arguments: faulty)
  func `A digit above 9 and a number above 64 bits are errors at their byte`(_ hex: String, _ expected: OctetsError)
    throws
  {
    let octets = try [UInt8](hex: hex)
    #expect(throws: expected) { try BinaryCodedDecimal.value(of: octets.span) }
  }

  static let writable: [(UInt64, Int, String?)] = [
    (0, 0, ""), (0, 2, "0000"), (1, 0, nil), (5065, 6, "000000005065"), (99, 1, "99"), (100, 1, nil), (100, 2, "0100"),
    (999_999_999_999, 6, "999999999999"), (1_000_000_000_000, 6, nil), (.max, 10, "18446744073709551615"),
    (.max, 9, nil),
  ]

  @Test(arguments: writable)
  func `a number is written right-justified and is nil when it does not fit`(
    _ value: UInt64, _ count: Int, _ hex: String?
  ) {
    #expect(BinaryCodedDecimal.octets(of: value, count: count)?.hex == hex)
  }

  @Test func `a number of any size is written and read back`() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let value = random.next() >> UInt64.random(in: 0..<64, using: &random)
      let octets = try #require(BinaryCodedDecimal.octets(of: value, count: 10))
      #expect(try BinaryCodedDecimal.value(of: octets.span) == value)
    }
  }
}
