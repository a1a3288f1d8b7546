import EMVCryptography
import Octets
import Testing

@Suite("Static data to be authenticated")
struct StaticDataTests {
  private static let profile: [UInt8] = [0x20, 0x01]

  /// The records with their files, tag 9F4A, and the joined data; nil when authentication fails.
  @Test(
    arguments: [
      ([], nil, ""),
      ([], "82", "2001"),
      ([(1, "70035A0112")], nil, "5A0112"),
      ([(10, "70035A0112"), (11, "70035A0113")], nil, "5A011270035A0113"),
      ([(1, "7081035A0112")], "82", "5A01122001"),
      ([(31, "7000")], nil, "7000"),
      ([(1, "77035A0112")], nil, nil),
      ([(11, "77035A0112")], nil, nil),
      ([(1, "70035A011200")], nil, nil),
      ([(1, "70045A0112")], nil, nil),
      ([(1, "")], nil, nil),
      ([(1, "70035A0112")], "", nil),
      ([(1, "70035A0112")], "8284", nil),
      ([(1, "70035A0112")], "94", nil),
    ] as [([(UInt8, String)], String?, String?)])
  func `records up to file 10 give their value, later ones all bytes, and 9F4A may name 82 alone`(
    _ records: [(UInt8, String)], _ tagList: String?, _ joined: String?
  ) throws {
    let records = try records.map { SignedRecord(sfi: $0.0, data: try [UInt8](hex: $0.1)) }
    let list = try tagList.map { try [UInt8](hex: $0) }
    do throws(AuthenticationFailure) {
      let found = try StaticData.joined(records, tagList: list, interchangeProfile: Self.profile)
      #expect(found.hex == joined)
    } catch {
      #expect(error == .staticData && joined == nil)
    }
  }
}
