import EMVData
import Octets
import Testing

@Suite("Layouts of tag 9F10")
struct IssuerDataLayoutTests {
  static let mastercard = "0110A00003220000ABCD00000000000322FF5566"

  @Test func `Mastercard's data are read with their optional parts`() throws {
    let whole = try #require(MastercardIssuerApplicationData(octets(Self.mastercard)))
    #expect(whole.derivationKeyIndex == 0x01)
    #expect(whole.cryptogramVersionNumber == 0x10)
    #expect(whole.cardVerificationResults.hex == "A00003220000")
    #expect(whole.dataAuthenticationCode?.hex == "ABCD")
    #expect(whole.counters?.hex == "00000000000322FF")
  }

  @Test(arguments: [
    (7, false, false, false), (8, true, false, false), (9, true, false, false), (10, true, true, false),
    (17, true, true, false), (18, true, true, true), (20, true, true, true),
  ])
  func `Mastercard's data end after CVR, code or counters`(
    _ count: Int, _ isRead: Bool, _ hasCode: Bool, _ hasCounters: Bool
  ) throws {
    let data = MastercardIssuerApplicationData(Array(try octets(Self.mastercard).prefix(count)))
    #expect((data != nil) == isRead)
    #expect((data?.dataAuthenticationCode != nil) == hasCode)
    #expect((data?.counters != nil) == hasCounters)
  }

  @Test(arguments: [(32, true), (33, false)])
  func `Mastercard's data have 32 bytes at most`(_ count: Int, _ isRead: Bool) {
    #expect((MastercardIssuerApplicationData([UInt8](repeating: 0, count: count)) != nil) == isRead)
  }

  static let commonCore = "0FA50103A4B8000001020304050607080F101112131415161718191A1B1C1D1E"

  @Test func `CCD data are read with all parts`() throws {
    let data = try #require(
      CommonCoreIssuerApplicationData(
        octets("0FA50103A4B800000102030405060708" + "0F" + "101112131415161718191A1B1C1D1E")))
    #expect(data.commonCoreIdentifier == 0xA5)
    #expect(data.derivationKeyIndex == 0x01)
    #expect(data.cardVerificationResults.hex == "03A4B80000")
    #expect(data.counters.hex == "0102030405060708")
    #expect(data.discretionaryData.hex == "101112131415161718191A1B1C1D1E")
  }

  @Test(arguments: [0, 1, 16])
  func `CCD data need 32 bytes, both length bytes and format code A`(_ place: Int) throws {
    let whole = try octets(Self.commonCore)
    var wrong = whole
    wrong[place] = 0xB5
    #expect(CommonCoreIssuerApplicationData(wrong) == nil)
    #expect(CommonCoreIssuerApplicationData(Array(whole.dropLast())) == nil)
    #expect(CommonCoreIssuerApplicationData(whole + [0]) == nil)
  }
}
