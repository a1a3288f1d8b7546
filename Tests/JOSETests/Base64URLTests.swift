import JOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
  static let values: [(octets: [UInt8], text: String)] = [
    ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"), ([0xFB, 0xFF, 0xFE], "-__-"),
    ([0x00, 0x00], "AAA"), (Array("any carnal pleasure.".utf8), "YW55IGNhcm5hbCBwbGVhc3VyZS4"),
  ]

  @Test(arguments: values)
  func `a value has one text in both directions`(octets: [UInt8], text: String) throws {
    #expect(octets.base64URL == text)
    #expect(try [UInt8](base64URL: text) == octets)
  }

  @Test func `every value of one and two bytes survives`() throws {
    for first in UInt8.min...UInt8.max {
      #expect(try [UInt8](base64URL: [first].base64URL) == [first])
      for second in stride(from: 0 as UInt8, through: 255, by: 5) {
        #expect(try [UInt8](base64URL: [first, second].base64URL) == [first, second])
      }
    }
  }

  static let refused = [
    "A", "AAAAA", "Zg==", "Zg=", "Z g", "Zg\n", "Zm9+", "Zm9/", "Zh", "Zm9", "Zgä", "\u{0}AAA",
  ]

  @Test(arguments: refused)
  func `padding, spaces, other alphabets and unused bits are refused`(text: String) {
    let error = #expect(throws: JOSEError.self) { try [UInt8](base64URL: text) }
    #expect(error?.code == .malformed)
  }
}
