import Ciphers
import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

@Suite("Cards of the test authority")
struct CertifiedProfileTests {
  static let cards = [
    ("visa-fdda", "visa-cvn18", "Visa card with fDDA and offline approval"),
    ("mastercard-cda", "mastercard-cvn21", "Mastercard card with CDA, relay resistance and offline approval"),
    ("amex-cda", "amex-mobile", "American Express card with CDA and offline approval"),
    ("jcb-cda", "jcb-mobile", "JCB card with CDA and offline approval"),
    ("discover-cda", "discover", "Discover card with CDA and offline approval"),
    ("unionpay-fdda", "unionpay", "UnionPay card with fDDA and offline approval"),
    ("unionpay-fdda-00", "unionpay", "UnionPay card with fDDA version 00"),
  ]

  private static func certified(_ base: String, _ name: String) throws -> CardProfile {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(base).json")))
    profile.name = name
    // A card of before tag 9F08 was 0030 signs with version 00 (kernel 7).
    if name.contains("version 00") {
      profile.applications[0].fastAuthentication = 0
      profile.applications[0].records[1].data[1] = "9F08 0020"
    }
    profile = try TestAuthority.certified(profile)
    // No signature of version 00 covers the verification on the device, so that a terminal approves no TC of it.
    if name.contains("version 00") { profile.applications[0].offlineApproval = nil }
    return profile
  }

  @Test(arguments: cards) func `a shipped signing card is the one that the authority makes of its base`(
    _ name: String, _ base: String, _ title: String
  ) throws {
    let certified = try Self.certified(base, title)
    if let folder = ProcessInfo.processInfo.environment["ODA_WRITE"] {
      try Data(certified.json).write(to: URL(filePath: "\(folder)/\(name).json"))
    } else {
      #expect(try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json"))) == certified)
    }
    let image = try CardImage(compiling: certified)
    let application = try #require(image.applications.first)
    let key = TestAuthority.cardKey(
      accountNumber: application.accountNumber, sequenceNumber: application.sequenceNumber
    ).publicKey
    #expect(image.signingKey == key && application.aid.description.hasPrefix("F000000001"))
  }

  @Test func `a card with single use of every application has one signing key, and several are refused`() throws {
    let two = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-two-accounts.json")))
    let certified = try TestAuthority.certified(two)
    #expect { try CardImage(compiling: certified) } throws: { "\($0)".contains("another key than that of the first") }
  }

  /// A change of the certified profile, and a part of the problem.
  private static let wrong: [(change: @Sendable (inout CardProfile.Application) -> Void, reason: String)] = [
    ({ $0.records[0].data[0] = "5A 4761739001010119" }, "different account numbers"),
    ({ $0.records[0].data[2] = "5F24 301130" }, "the hash of the ICC certificate is wrong"),
    ({ $0.records[0].isSigned = nil }, "the hash of the ICC certificate is wrong"),
    ({ $0.aip = "2041" }, "the hash of the ICC certificate is wrong"),
    ({ $0.records[0].data.removeLast() }, "the hash of the ICC certificate is wrong"),
    ({ $0.records.removeLast() }, "tag 9F46 is missing"),
    ({ $0.certificationAuthority = nil }, "certificates in the records and certificationAuthority are needed"),
    ({ $0.certificationAuthority?.exponent = "05" }, "the exponent 03 or 010001"),
    ({ $0.certificationAuthority?.modulus = "80" }, "64...248 are needed"),
    ({ $0.aip = "2140" }, "byte 1 bits 8 and 1 must be 0"),
    ({ $0.pdol = "9F66049F02069F03069F1A0295059A039C019F3704" }, "the card must ask for"),
    ({ $0.processingOptions = ["9F69 01000000000000"] }, "tag 9F69 is given by the card itself"),
    ({ $0.offlineApproval = (1, "97x") }, "is not the numeric code"),
  ]

  @Test(arguments: wrong.indices)
  func `certificates that do not match the card, or are missing, are refused when the profile is compiled`(
    _ index: Int
  ) throws {
    var profile = try Self.certified("visa-cvn18", "card")
    Self.wrong[index].change(&profile.applications[0])
    #expect { try CardImage(compiling: profile) } throws: { "\($0)".contains(Self.wrong[index].reason) }
  }

  @Test(arguments: cards)
  func `an issuer makes the certificates of a card with another account number anew, for its own key`(
    _ name: String, _ base: String, _ title: String
  ) throws {
    let issuer = Issuer(
      keys: IssuerKeys(
        cryptogram: Secret(copying: [UInt8](repeating: 7, count: 16)),
        cvc3: Secret(copying: TestIssuer.publicTestKey), script: Secret(copying: TestIssuer.publicTestKey)))
    var profile = try Self.certified(base, title)
    let number = try CardImage(compiling: profile).applications[0].accountNumber.exposedDigits
    // American Express has 15 digits.
    let own = number.count == 15 ? "999999000000006" : "9999990000000003"
    for index in profile.applications[0].records.indices {
      profile.applications[0].records[index].data = profile.applications[0].records[index].data.map {
        $0.replacing(number, with: own)
      }
    }
    #expect(throws: CardProfileError.self) { try CardImage(compiling: profile) }
    let image = try CardImage(compiling: issuer.recertified(profile))
    let account = IssuerAccount(image.applications[0])
    #expect(account.accountNumber.exposedDigits == own)
    #expect(image.signingKey == issuer.cardSigningKey(of: account).publicKey)
    #expect(
      image.signingKey
        != TestAuthority.cardKey(accountNumber: account.accountNumber, sequenceNumber: account.sequenceNumber).publicKey
    )
    // Without a change, and with the public test key, the certificates are the shipped ones.
    let shipped = try CardProfile(json: [UInt8](Fixtures.data("Cards/\(name).json")))
    #expect(try Issuer(keys: .publicTest).recertified(shipped) == shipped)
  }

  @Test func `certificates of another authority are not made anew`() throws {
    var profile = try Self.certified("visa-cvn18", "card")
    profile.applications[0].aid = "F0000000021010"
    #expect(throws: TestAuthority.ProfileFailure.otherAuthority) {
      try Issuer(keys: .publicTest).recertified(profile)
    }
    let plain = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    #expect(try Issuer(keys: .publicTest).recertified(plain) == plain)
  }

  @Test func `a card without signatures approves nothing offline`() throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    profile.applications[0].offlineApproval = (1, "978")
    #expect { try CardImage(compiling: profile) } throws: { "\($0)".contains("without signatures") }
  }
}
