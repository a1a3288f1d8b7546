import AccessMessages
import Ciphers
import Documents
import EMVCard
import EMVCryptography
import EMVData
import EMVIssuer
import FIDOUAF
import Fixtures
import JOSE
import JSON
import Octets
import Testing

@testable import AccessServer

@Suite("Signing cards of the issuer")
struct SigningCardRulesTests {
  static let names = ["visa-fdda", "mastercard-cda"]

  private static func publicKey(_ sent: CardEnvelope.SigningKey?) throws -> RSAPublicKey {
    let sent = try #require(sent)
    guard let key = RSASigningKey(p: Secret(copying: sent.p), q: Secret(copying: sent.q), exponent: sent.exponent)
    else { throw TestCards.NoKeys() }
    return key.publicKey
  }

  @Test(arguments: names)
  func `a signing card has certificates for its own account number, and its key comes in the envelope alone`(
    _ name: String
  ) async throws {
    let cards = try await TestCards(profile: name)
    let delivery = try await cards.add()
    let content = try cards.content(delivery)
    let profile = try #require(content.profile)
    let application = try #require(CardImage(json: Array(profile.utf8)).applications.first)
    #expect(application.accountNumber.exposedDigits.hasPrefix("999999"))
    #expect(try Self.publicKey(content.signingKey) == application.signingKey)
    let prime = try #require(content.signingKey).p
    for text in [profile, delivery.card.json.compact] {
      #expect(!text.contains(prime.hex) && !text.contains(prime.base64URL))
    }
  }

  @Test(arguments: names)
  func `the key of a card is derived from the master key of its issuer`(_ name: String) async throws {
    let (first, second) = try await (TestCards(profile: name), TestCards(profile: name))
    let (one, other) = try await (first.add(), second.add())
    #expect(try await first.accountNumber(of: one.card.id) == second.accountNumber(of: other.card.id))
    #expect(
      try Self.publicKey(first.content(one).signingKey) != Self.publicKey(second.content(other).signingKey))
  }

  @Test func `a repeated request delivers the same signing key, and further keys come without it`() async throws {
    let cards = try await TestCards(profile: "visa-fdda")
    let (first, again) = try await (cards.add(), cards.add())
    #expect(try cards.content(first).json == cards.content(again).json)
    let further = try await cards.keys(first.card.id, "delivery-0000002", free: [11])
    #expect(try cards.content(further).signingKey == nil)
    let plain = try await TestCards()
    #expect(try plain.content(await plain.add()).signingKey == nil)
  }

  @Test func `a profile with certificates of another authority is refused in the configuration, with the remedy`()
    throws
  {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-fdda.json")))
    profile.applications[0].aid = "F0000000021010"
    let json = String(decoding: profile.json, as: UTF8.self)
    #expect {
      _ = try ServerConfiguration(json: Array(#"{"cards":[\#(json)]}"#.utf8), isSelfSigned: true)
    } throws: { error in
      let text = "\(error)"
      return text.contains("cards[0]") && text.contains("certificates of another authority")
        && text.contains("tap card new --oda")
    }
  }
}
