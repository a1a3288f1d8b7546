import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

@Suite("Cryptogram versions")
struct CryptogramVersionTests {
  /// A tag 9F10 of each version.
  static let issuerData: [(String, CryptogramVersion.PaymentSystem, String)] = [
    ("06010A03A0B800", .visa, "Visa CVN 10"), ("06011103A0B800", .visa, "Visa CVN 17"),
    ("06011203A0B800", .visa, "Visa CVN 18"),
    ("1F220132A0000000001003027300000000400000000000000000000000000000", .visa, "Visa CVN 34"),
    ("0110A00003220000", .mastercard, "Mastercard CVN 16"), ("0111A00003220000", .mastercard, "Mastercard CVN 17"),
    ("0114A00003220000", .mastercard, "Mastercard CVN 20"), ("0115A00003220000", .mastercard, "Mastercard CVN 21"),
    ("1501850440B100000000B00000000000000000000000", .interac, "Interac CVN 133"),
    ("0FA50103A4B8000000000000000000000F000000000000000000000000000000", .commonCore, "CCD cryptogram version 5"),
    ("0FA60103A4B8000000000000000000000F000000000000000000000000000000", .commonCore, "CCD cryptogram version 6"),
  ]

  @Test(arguments: issuerData)
  func `tag 9F10 names the version`(_ hex: String, _ system: CryptogramVersion.PaymentSystem, _ name: String) throws {
    let version = try #require(CryptogramVersion.named(by: octets(hex), of: system))
    #expect(version.description == name)
    #expect(version.paymentSystem == system)
    #expect(CryptogramVersion.numbered(version.number, of: system) == version)
  }

  @Test func `the table names every version once`() {
    #expect(Self.issuerData.map(\.2) == CryptogramVersion.all.map(\.description))
    #expect(Set(CryptogramVersion.all).count == 11)
  }

  @Test(arguments: [
    ("", CryptogramVersion.PaymentSystem.visa), ("06010B03A0B800", .visa), ("05010A03A0B8", .visa),
    // Tokens of a phone: no public source defines version 4A.
    ("1F4A6332A0000000001003027300000000400000000000000000000000000000", .visa), ("", .mastercard),
    ("0112A00003220000", .mastercard), ("0110A000032200", .mastercard), ("", .interac), ("0201", .interac),
    ("030185", .interac), ("020184", .interac), ("", .commonCore),
    ("0FA70103A4B8000000000000000000000F000000000000000000000000000000", .commonCore),
    ("0FB50103A4B8000000000000000000000F000000000000000000000000000000", .commonCore),
    ("0FA50103A4B800000000000000000000000000000000000000000000000000", .commonCore),
  ])
  func `tag 9F10 of another layout or another version gives no version`(
    _ hex: String, _ system: CryptogramVersion.PaymentSystem
  ) throws {
    #expect(try CryptogramVersion.named(by: octets(hex), of: system) == nil)
  }

  @Test func `a number counts within its payment system only`() {
    #expect(CryptogramVersion.numbered(0x11, of: .visa) == .visa17)
    #expect(CryptogramVersion.numbered(0x11, of: .mastercard) == .mastercard17)
    #expect(CryptogramVersion.numbered(0x11, of: .interac) == nil)
    #expect(CryptogramVersion.numbered(0x12, of: .visa) == .visa18)
    #expect(CryptogramVersion.numbered(0x10, of: .visa) == nil)
  }

  @Test(arguments: [
    (CryptogramVersion.visa10, "06010A03A0B800", "03A0B800" as String?),
    (.visa10, "06010A03A0B80003FFFFFF", "03A0B800"), (.visa10, "0501", nil),
    (.visa17, "06011103A0B800", "A0"), (.visa17, "06011103", nil), (.visa17, "06011103A0", "A0"),
    (.visa18, "06011203A0B800", "06011203A0B800"), (.visa22, "06011203A0B800", "06011203A0B800"),
    (.mastercard16, "0110A00003220000", "A00003220000"), (.mastercard16, "0110A000032200", nil),
    (.mastercard20, "0114A0000322000012340000000000032200", "A00003220000"),
    (.mastercard17, "0111A0000322000012340000000000032200", "A000032200000000000000032200"),
    (.mastercard21, "0115A000032200001234000000000003220055", "A000032200000000000000032200"),
    (.mastercard21, "0115A00003220000123400000000000322", nil), (.interac133, "020185", "020185"),
  ])
  func `each version covers its part of tag 9F10`(_ version: CryptogramVersion, _ hex: String, _ part: String?) throws {
    #expect(try version.coveredIssuerData(of: octets(hex))?.hex == part)
  }

  @Test(arguments: [0x10, 0x11, 0x14, 0x15] as [UInt8])
  func `Mastercard's version bits select key, response key and counters`(_ number: UInt8) throws {
    let version = try #require(CryptogramVersion.numbered(number, of: .mastercard))
    let isCommon = number & 0x04 != 0
    #expect(version.sessionKey == (isCommon ? .common : .commonWithUnpredictableNumber))
    #expect(version.response?.key == (isCommon ? .cryptogramKey : .masterKey))
    #expect((version.issuerData == .cardVerificationResultsAndCounters) == (number & 0x01 != 0))
  }

  @Test func `every version but Visa CVN 17 covers the ten data elements of the book`() {
    #expect(CryptogramVersion.all.filter { $0.elements != CryptogramVersion.dataElements } == [.visa17])
    #expect(CryptogramVersion.dataElements.count == 10)
  }

  @Test func `only CCD version 6 uses AES`() {
    #expect(CryptogramVersion.all.filter { $0.cipher == .aes128 } == [.commonCore6])
  }
}
