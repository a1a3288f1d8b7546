import EMVData
import Octets
import Testing

@Suite("Amounts, dates and types")
struct AmountTests {
  @Test(arguments: [
    ("000000005065", 2, "50.65"), ("000000005065", 0, "5065"), ("000000005665", 3, "5.665"),
    ("000000005665", 4, "0.5665"), ("000000000000", 2, "0.00"), ("000000000001", 2, "0.01"),
    ("999999999999", 2, "9999999999.99"),
  ])
  func `an amount is read with the exponent of its currency`(_ hex: String, _ exponent: Int, _ text: String)
    throws
  {
    let amount = try Amount(numeric: [UInt8](hex: hex), exponent: exponent)
    #expect(amount.description == text)
    #expect(amount.numeric.hex == hex)
    #expect(try Amount(text, exponent: exponent) == amount)
  }

  @Test func `A nibble above 9 is refused with its offset`() throws {
    let octets = try [UInt8](hex: "00000000A065")
    let error = #expect(throws: OctetsError.self) { try Amount(numeric: octets, exponent: 2) }
    #expect(error == OctetsError(.notDecimal(nibble: 0xA), at: 4))
  }

  @Test func `thirteen digits are too many`() throws {
    let octets = try [UInt8](hex: "01000000000000")
    #expect(throws: Amount.Fault.tooLarge(limit: 12)) { try Amount(numeric: octets, exponent: 2) }
    #expect(Amount(minorUnits: 999_999_999_999, exponent: 2) != nil)
    #expect(Amount(minorUnits: 1_000_000_000_000, exponent: 2) == nil)
  }

  static let refused: [(String, Int, Amount.Fault)] = [
    ("", 2, .empty), ("12.345", 2, .tooManyDecimals(3, limit: 2)), ("5.0", 0, .tooManyDecimals(1, limit: 0)),
    ("1,5", 2, .character(",", position: 1)), ("-1", 2, .character("-", position: 0)),
    ("1.2.3", 2, .character(".", position: 3)), (".5", 2, .character(".", position: 0)),
    ("٣", 2, .character("٣", position: 0)), ("12345678901", 2, .tooLarge(limit: 12)),
    ("1234567890123", 0, .tooLarge(limit: 12)),
  ]

  @Test(arguments: refused)
  func `text that is not an amount is refused with its position`(_ text: String, _ exponent: Int, _ fault: Amount.Fault)
  {
    #expect(throws: fault) { try Amount(text, exponent: exponent) }
    #expect(!fault.description.isEmpty)
  }

  @Test func `leading zeros and missing decimals are accepted`() throws {
    #expect(try Amount("0012.3", exponent: 2).minorUnits == 1230)
    #expect(try Amount("5", exponent: 3).minorUnits == 5000)
    #expect(try Amount("9999999999.99", exponent: 2).minorUnits == 999_999_999_999)
  }

  @Test(arguments: [
    ("260131", "2026-01-31"), ("000101", "2000-01-01"), ("491231", "2049-12-31"), ("500101", "1950-01-01"),
    ("240229", "2024-02-29"), ("991231", "1999-12-31"),
  ])
  func `a date is six decimal digits`(_ hex: String, _ text: String) throws {
    let octets = try [UInt8](hex: hex)
    let date = try #require(TransactionDate(numeric: octets))
    #expect(date.description == text)
    #expect(date.numeric == octets)
  }

  @Test(arguments: [
    "2A0131", "260132", "261301", "260001", "260100", "230229", "260431", "2601", "26013100", "", "FFFFFF",
  ])
  func `bytes outside the calendar are not a date`(_ hex: String) throws {
    #expect(TransactionDate(numeric: try [UInt8](hex: hex)) == nil)
  }

  @Test func `dates are ordered by time over the turn of the century`() throws {
    let last = try #require(TransactionDate(numeric: [0x99, 0x12, 0x31]))
    let first = try #require(TransactionDate(numeric: [0x00, 0x01, 0x01]))
    #expect(last < first)
    #expect(TransactionDate(year: 1949, month: 12, day: 31) == nil)
    #expect(TransactionDate(year: 2050, month: 1, day: 1) == nil)
  }

  @Test func `dates and times of day are read from ISO 8601 text`() {
    #expect(TransactionDate("2026-01-31")?.numeric == [0x26, 0x01, 0x31])
    for text in ["1949-12-31", "2050-01-01", "2026-02-29", "26-01-31", "2026-01-31T00:00:00"] {
      #expect(TransactionDate(text) == nil)
    }
    #expect(TransactionTime("09:05:59")?.numeric == [0x09, 0x05, 0x59])
    #expect(TransactionTime(numeric: [0x09, 0x05, 0x59])?.description == "09:05:59")
    for text in ["9:05:59", "24:00:00", "09:05", "09-05-59"] { #expect(TransactionTime(text) == nil) }
    #expect(TransactionTime(numeric: [0x09, 0x60, 0x00]) == nil)
    #expect(TransactionTime(numeric: [0x09, 0x0A, 0x00]) == nil)
  }

  @Test(
    arguments: [
      (0x00, "purchase"), (0x01, "cash"), (0x09, "purchase with cashback"), (0x02, "debit adjustment"),
      (0x17, "cash disbursement"),
      (0x20, "refund"), (0x23, "credit adjustment"), (0x30, "balance"), (0x40, "transfer"), (0x99, "unknown 99"),
      (0xFF, "unknown FF"), (0x03, "unknown 03"),
    ] as [(UInt8, String)])
  func `eight types have names and any other type is kept`(_ octet: UInt8, _ name: String) {
    let type = TransactionType(rawValue: octet)
    #expect(type.description == name)
    #expect(type.rawValue == octet)
  }
}
