import AccessMessages
@testable import AccessServer
import Documents
import FIDOUAF
import JSON
@testable import ServerShell
import Testing

@Suite("The configuration of a server")
struct ConfigurationTests {
  static func read(_ text: String, isSelfSigned: Bool = true) throws(ConfigurationError) -> ServerConfiguration {
    try ServerConfiguration(json: Array(text.utf8), isSelfSigned: isSelfSigned)
  }

  static func problems(_ text: String, isSelfSigned: Bool = true) -> [String] {
    do throws(ConfigurationError) {
      _ = try read(text, isSelfSigned: isSelfSigned)
      return []
    } catch {
      return error.problems.map(\.path)
    }
  }

  @Test func `an empty configuration has the defaults of a self-signed server`() throws {
    #expect(try Self.read("{}") == .selfSigned)
    #expect(ServerConfiguration.selfSigned.facets == .any && ServerConfiguration.selfSigned.openRegistration)
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0/8", "2001:db8::/129", "10.0.0.0/-1", "proxy", "", "10.0.0.0/"])
  func `a trusted proxy that is not a network is refused`(_ network: String) {
    #expect(Self.problems("{\"trustedProxies\": [\"10.0.0.0/0\", \"\(network)\"]}") == ["$.trustedProxies[1]"])
  }

  @Test func `a server with its own certificate needs facets, and its registration is not open`() throws {
    #expect(Self.problems("{}", isSelfSigned: false) == ["$.facets"])
    let configuration = try Self.read(#"{"facets": "*"}"#, isSelfSigned: false)
    #expect(configuration.facets == .any && !configuration.openRegistration)
  }

  @Test func `every key is read`() throws {
    let configuration = try Self.read(
      """
      {
        "appID": "https://server.test/nevisfido/uaf/1.1/facets", "facets": ["ios:bundle-id:a", "android:apk-key-hash:b"],
        "openRegistration": false, "policy": "ios", "url": "https://server.test", "link": "app://open",
        "channelBinding": false,
        "lifetimes": {"request": 1, "outOfBandToken": 2, "authorization": 3, "registrationToken": 4, "status": 5},
        "failures": {"perAccount": 6, "perAddress": 7, "challengesPerAddress": 9,
          "operationsPerAddress": 11, "periodSeconds": 8}, "auditEntries": 10,
        "connections": {"requestSeconds": 11, "responseSeconds": 12, "perAddress": 13},
        "trustedProxies": ["10.0.0.0/8", "2001:db8::1"],
        "appVersions": {"minimum": "1.0", "latest": "2.0", "url": "https://server.test/app"}
      }
      """)
    #expect(configuration.applicationID == "https://server.test/nevisfido/uaf/1.1/facets")
    #expect(configuration.facets == .listed(["ios:bundle-id:a", "android:apk-key-hash:b"]))
    #expect(!configuration.openRegistration && configuration.policy == "ios")
    #expect(configuration.url == "https://server.test" && configuration.link == "app://open")
    #expect(!configuration.checksChannelBinding)
    let lifetimes = configuration.lifetimes
    #expect([lifetimes.request, lifetimes.outOfBandToken, lifetimes.authorization] == [1_000, 2_000, 3_000])
    #expect([lifetimes.registrationToken, lifetimes.status] == [4_000, 5_000])
    let limits = configuration.failureLimits
    #expect(limits.perAccount == 6 && limits.perAddress == 7 && limits.period == 8_000)
    #expect(limits.challengesPerAddress == 9 && limits.operationsPerAddress == 11 && configuration.auditEntries == 10)
    let connections = configuration.connections
    #expect([connections.request, connections.response] == [11_000, 12_000] && connections.perAddress == 13)
    #expect(connections.trustedProxies == ["10.0.0.0/8", "2001:db8::1/128"].compactMap { AddressNetwork($0) })
    #expect(
      configuration.clientVersions
        == ClientVersions(minimum: "1.0", latest: "2.0", url: "https://server.test/app"))
  }

  @Test func `every key of wallet access is read`() throws {
    let wallets = try Self.read(
      """
      {
        "questions": [{"id": "pet", "text": "Pet?", "mandatory": true}, {"id": "town", "text": "Town?"}],
        "requiredAnswers": 1, "pinLogin": false, "biometricLogin": false, "tapWithoutLogin": true,
        "idleSeconds": 60, "pinAttempts": 3,
        "password": {
          "minimumLength": 10, "maximumLength": 20, "requiresLetter": false, "requiresDigit": false,
          "requiresBothCases": true
        },
        "pin": {"minimumLength": 6, "maximumLength": 6, "maximumSimilarDigits": 2, "allowsSequences": true}
      }
      """
    ).wallets
    let expected = WalletRequirements(
      questions: [
        SecurityQuestion(id: "pet", text: "Pet?", isMandatory: true), SecurityQuestion(id: "town", text: "Town?"),
      ], requiredAnswers: 1,
      password: PasswordRequirements(
        minimumLength: 10, maximumLength: 20, requiresLetter: false, requiresDigit: false, requiresBothCases: true),
      pin: PinRequirements(minimumLength: 6, maximumLength: 6, maximumSimilarDigits: 2, allowsSequences: true),
      pinLogin: false, biometricLogin: false, idleSeconds: 60, pinAttempts: 3, tapWithoutLogin: true)
    #expect(wallets.requirements == expected)
  }

  @Test(arguments: [
    (#"{"requiredAnswers": 6}"#, ["$.requiredAnswers"]), (#"{"requiredAnswers": 0}"#, ["$.requiredAnswers"]),
    (#"{"questions": []}"#, ["$.questions"]), (#"{"questions": [{"id": "a"}]}"#, ["$.questions[0].text"]),
    (
      #"{"questions": [{"id": "a", "text": "A"}, {"id": "a", "text": "B"}]}"#, ["$.questions"]
    ),
    (
      #"{"requiredAnswers": 1, "questions": [{"id": "a", "text": "A", "mandatory": true}, {"id": "b", "text": "B", "mandatory": true}]}"#,
      ["$.requiredAnswers"]
    ),
    (#"{"password": {"minimumLength": 9, "maximumLength": 8}}"#, ["$.password.maximumLength"]),
    (#"{"pin": {"minimumLength": 3}}"#, ["$.pin.minimumLength"]), (#"{"idleSeconds": 0}"#, ["$.idleSeconds"]),
    (#"{"pinAttempts": 101}"#, ["$.pinAttempts"]), (#"{"pinLogin": 1}"#, ["$.pinLogin"]),
  ])
  func `every problem of wallet access is reported with its path`(_ text: String, _ paths: [String]) {
    #expect(Set(Self.problems(text)) == Set(paths))
  }

  @Test(arguments: [
    (#"{"appID": ""}"#, ["$.appID"]), (#"{"appID": 5, "facets": "all"}"#, ["$.appID", "$.facets"]),
    (#"{"facets": [""]}"#, ["$.facets[0]"]), (#"{"policy": "none"}"#, ["$.policy"]),
    (#"{"url": "http://server.test"}"#, ["$.url"]), (#"{"url": "https://server.test/"}"#, ["$.url"]),
    (#"{"lifetimes": {"request": 0, "status": 31536001}}"#, ["$.lifetimes.request", "$.lifetimes.status"]),
    (#"{"failures": {"perAccount": 0}, "failure": {}}"#, ["$.failures.perAccount", "$.failure"]),
    (
      #"{"failures": {"challengesPerAddress": 0}, "auditEntries": 0}"#,
      ["$.failures.challengesPerAddress", "$.auditEntries"]
    ),
    (#"{"appVersions": {"minimum": "1"}}"#, ["$.appVersions.latest", "$.appVersions.url"]), ("[]", ["$"]), ("{", [""]),
    ("", [""]),
  ])
  func `every problem is reported with its path`(_ text: String, _ paths: [String]) {
    #expect(Set(Self.problems(text)) == Set(paths))
  }

  @Test func `a policy of the configuration is that of a request that names none`() async throws {
    for (policy, count) in [(nil, 10), ("ios", 5), ("android", 5)] as [(String?, Int)] {
      let server = try await TestServer { $0.policy = policy }
      let request = try await server.registrationRequest("alice")
      #expect(request.policy.accepted.count == count)
    }
  }
}
