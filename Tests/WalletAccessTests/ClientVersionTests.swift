import AccessMessages
import Documents
import Testing
import WalletAccess

@Suite struct ClientVersionTests {
  @Test func `versions compare by their numbers`() throws {
    let texts = ["0", "0.9.9", "1", "1.0.1", "1.2", "1.10", "2.0.0.1", "10"]
    let versions = try texts.map { try #require(DottedVersion($0)) }
    #expect(versions == versions.sorted())
    #expect(Set(versions).count == texts.count)
    #expect(DottedVersion("1.0.0") == DottedVersion("1"))
  }

  @Test(arguments: ["", ".", "1.", "1..2", "v1", "-1", "1.0-beta", "1.2.3.4.5", "9999999999", "١"])
  func `another text is no version`(text: String) { #expect(DottedVersion(text) == nil) }

  static let answers: [(minimum: String, code: String?)] = [
    ("0.9", nil), ("1.0.0", nil), ("1.0.1", "OutdatedClient"), ("2", "OutdatedClient"), ("new", "MalformedAnswer"),
  ]

  @Test(arguments: answers)
  func `an issuer excludes the versions below its lowest`(minimum: String, code: String?) async throws {
    let stage = try WalletStage()
    let versions = ClientVersions(minimum: minimum, latest: "3", url: "https://example.org/wallet")
    stage.answer("GET /app-versions/linux", 200, versions.json)
    let own = try #require(DottedVersion("1.0"))
    var found: String?
    do {
      try await stage.wallet().checkVersion(own)
    } catch { found = (error as? WalletAccessError)?.code }
    #expect(found == code)
  }

  @Test func `an issuer without versions serves every client`() async throws {
    try await WalletStage().wallet().checkVersion(#require(DottedVersion("0")))
  }
}
