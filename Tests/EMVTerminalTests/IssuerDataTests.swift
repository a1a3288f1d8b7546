import EMVTerminal
import ISO7816
import Octets
import Testing

@Suite("The issuer's data for the card") struct IssuerDataTests {
  static let script = octets("7206 8604 8C1E0000")

  @Test func `tags 8A, 91, 71 and 72 are kept and encoded again`() {
    let data = IssuerData(
      responseCode: octets("3030"), authenticationData: octets("0102030405060708"), scripts: Self.script)
    #expect(data.encoded == octets("8A023030 91080102030405060708") + Self.script)
    #expect(IssuerData(parsing: data.encoded) == data && data.dropped.isEmpty && data.isForCard)
  }

  /// The bytes of tag 91, the bytes of the scripts, and the sentence about the dropped part.
  @Test(
    arguments: [
      (7, [], "tag 91 has 7 bytes: 8 to 16 are needed"), (0, [], "tag 91 has 0 bytes: 8 to 16 are needed"),
      (17, [], "tag 91 has 17 bytes: 8 to 16 are needed"), (8, octets("72"), "issuer scripts: not BER-TLV"),
      (16, octets("7205860486"), "issuer scripts: not BER-TLV"),
      (8, octets("9F2701 80"), "issuer scripts: tag 9F27: template 71 or 72 is needed"),
      (
        8, octets("727F 867D") + [UInt8](repeating: 0, count: 125),
        "issuer scripts: 129 bytes together: the limit is 128"
      ),
    ] as [(Int, [UInt8], String)])
  func `a part of a wrong form is dropped and named, and the other part is kept`(
    _ count: Int, _ scripts: [UInt8], _ reason: String
  ) {
    let isRight = (8...16).contains(count)
    let data = IssuerData(
      responseCode: octets("3030"), authenticationData: [UInt8](repeating: 1, count: count),
      scripts: isRight ? scripts : Self.script)
    #expect(data.dropped.count == 1 && data.dropped[0].hasPrefix(reason), "\(data.dropped)")
    #expect((data.authenticationData != nil) == isRight && data.scripts.isEmpty == isRight)
    #expect(data.responseCode == octets("3030"))
  }

  @Test func `128 bytes of scripts and 16 bytes of tag 91 are taken`() {
    let scripts = octets("727E 867C") + [UInt8](repeating: 0, count: 124)
    let data = IssuerData(authenticationData: [UInt8](repeating: 1, count: 16), scripts: scripts)
    #expect(data.dropped.isEmpty && data.scripts.encoded == scripts)
  }
}
