import EMVData
import Octets
import Testing

@Suite("Account numbers and tracks")
struct AccountNumberTests {
  @Test(arguments: [
    ("4761739001010010", "476173******0010"), ("4761739001010010119", "476173*********0119"),
    ("4222222222222", "422222***2222"), ("676770123456", "********3456"), ("12345678", "****5678"),
  ])
  func `A number shows six and four digits, a short one only four`(_ digits: String, _ masked: String) throws {
    let number = try #require(PrimaryAccountNumber(digits: digits))
    #expect(number.masked == masked)
    #expect("\(number)" == masked)
    #expect(number.exposedDigits == digits)
  }

  @Test(arguments: ["", "1234567", "12345678901234567890", "4761 739001010010", "47617390A1010010", "４７６１７３９００１０１００１０"])
  func `text that is not an account number is refused`(_ digits: String) {
    #expect(PrimaryAccountNumber(digits: digits) == nil)
  }

  @Test(arguments: [
    ("4761739001010010", true), ("4111111111111111", true), ("4111111111111112", false), ("378282246310005", true),
    ("30569309025904", true), ("4761739001010001", false), ("00000000", true),
  ])
  func `the check digit is that of Luhn`(_ digits: String, _ isValid: Bool) throws {
    #expect(try #require(PrimaryAccountNumber(digits: digits)).hasValidCheckDigit == isValid)
  }

  @Test(arguments: [
    ("4761739001010010", "4761739001010010"), ("4761739001010010FFFF", "4761739001010010"),
    ("378282246310005F", "378282246310005"), ("4761739001010010119F", "4761739001010010119"),
  ])
  func `compressed digits are padded with F on the right`(_ hex: String, _ digits: String) throws {
    let number = try #require(PrimaryAccountNumber(compressedNumeric: [UInt8](hex: hex)))
    #expect(number.exposedDigits == digits)
    #expect(hex.hasPrefix(number.compressedNumeric.hex))
  }

  @Test(arguments: ["476173F001010010", "4761739001010F10", "476173900101001A", "FFFFFFFFFFFFFFFF", "", "4761D739"])
  func `anything but padding after the digits makes a number malformed`(_ hex: String) throws {
    #expect(PrimaryAccountNumber(compressedNumeric: try [UInt8](hex: hex)) == nil)
  }

  @Test func `track 2 holds number, expiry and service code`() throws {
    let track = try #require(Track2EquivalentData([UInt8](hex: "4761739001010010D22122011143804400000F")))
    #expect(track.accountNumber.exposedDigits == "4761739001010010")
    #expect(track.expiry == "2212")
    #expect(track.serviceCode == "201")
  }

  @Test(arguments: [
    "4761739001010010", "4761739001010010D", "4761739001010010D221220", "4761739001010010D22A2201",
    "4761D2212201", "D2212201", "4761739001010010D2212F01",
  ])
  func `A track without separator, expiry or service code is refused`(_ hex: String) throws {
    let even = hex.count % 2 == 0 ? hex : hex + "F"
    #expect(Track2EquivalentData(try [UInt8](hex: even)) == nil)
  }

  @Test(arguments: [
    ("4761739001010010", true), ("D4761739001010010D", true), ("0104761739001010010200", true),
    ("34373631373339303031303130303130", true), ("4761739001010011", false), ("9999999999999995", false),
    ("0000000000000000", false), ("476173900101", false), ("", false),
  ])
  func `digits of a scheme's shape are found, packed or as text`(_ hex: String, _ isFound: Bool) throws {
    let even = hex.count % 2 == 0 ? hex : hex + "F"
    #expect(AccountNumberSearch.mayHoldAccountNumber(try [UInt8](hex: even)) == isFound)
  }

  @Test(arguments: [
    ("4222222222222", true), ("5222222222220", false), ("30569309025904", true), ("378282246310005", true),
    ("361234567890129", false), ("5555555555554444", true), ("2223003122003222", true), ("1111111111111117", false),
  ])
  func `the shape of an account number is its length, its first digits and its check digit`(
    _ digits: String, _ looksLike: Bool
  ) {
    #expect(AccountNumberSearch.looksLikeAccountNumber(digits) == looksLike)
  }

  @Test func `runs of thirteen decimal nibbles are found at their start and shorter ones are not`() throws {
    #expect(AccountNumberSearch.decimalRuns(in: try [UInt8](hex: "A1234567890123")) == [1..<14])
    #expect(AccountNumberSearch.decimalRuns(in: try [UInt8](hex: "AA123456789012")) == [])
    #expect(AccountNumberSearch.decimalRuns(in: try [UInt8](hex: "1234567890123A")) == [0..<13])
    #expect(AccountNumberSearch.decimalRuns(in: []) == [])
  }
}
