import EMVCard
import EMVIssuer
import Fixtures
import Octets
import Testing

/// Applications of one card, which sign with one key.
@Suite("Signatures of one key")
struct SharedKeyTests {
  /// A UnionPay application that signs (fDDA), and a Mastercard application of the same account with INTERNAL AUTHENTICATE.
  ///
  /// - Parameters:
  ///   - version: The version of fDDA.
  ///   - list: Tag 9F49.
  private static func profile(version: Int, _ list: String) throws -> CardProfile {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/unionpay.json")))
    var second = try CardProfile(json: [UInt8](Fixtures.data("Cards/mastercard-cvn21.json"))).applications[0]
    let account = profile.applications[0].records.flatMap(\.data).filter { $0.hasPrefix("5A ") || $0.hasPrefix("57 ") }
    for index in second.records.indices {
      second.records[index].data = second.records[index].data.map { text in
        account.first { $0.prefix(3) == text.prefix(3) } ?? text
      }
    }
    second.records[0].data.removeAll { $0.hasPrefix("56 ") }
    profile.applications[0].fastAuthentication = version
    profile.applications.append(second)
    profile = try TestAuthority.certified(profile)
    let record = try #require(
      profile.applications[1].records.firstIndex { $0.data.contains { $0.hasPrefix("8C ") } })
    profile.applications[1].records[record].data.append("9F49 \(list)")
    return profile
  }

  @Test func `INTERNAL AUTHENTICATE over tag 9F37 alone beside version 00 of fDDA is refused, and both are named`()
    throws
  {
    #expect {
      try CardImage(compiling: Self.profile(version: 0, "9F3704"))
    } throws: {
      let text = "\($0)"
      return ["applications[1].records", "9F49", "applications[0]", "fastAuthentication 0"].allSatisfy(text.contains)
    }
  }

  /// The version of fDDA, and tag 9F49.
  @Test(arguments: [(1, "9F3704"), (0, "9F37049F0206")])
  func `signatures that cover other bytes may have one key`(_ version: Int, _ list: String) throws {
    let image = try CardImage(compiling: Self.profile(version: version, list))
    #expect(image.applications.compactMap(\.signingKey).count == 2)
  }
}
