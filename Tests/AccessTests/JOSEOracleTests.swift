import AccessMessages
import JOSE
import JSON
import MobileAuthentication
import TestSupport
import Testing

/// JWS and JWE of this project against joserfc and jwcrypto (`tools/oracles/check_jose.py`).
@Suite(.timeLimit(.minutes(20)))
struct JOSEOracleTests {
  // A key for tests.
  private static let key: JSONValue = [
    "kty": "EC", "crv": "P-256", "d": "4wSbD3mvF1eTAnUCPy_yvEwmD0l1X0PCrwemo-m_cus",
    "x": "PSOvZa2LzO-ISS1aA_NiSsxWfdAgAh0-Wu1EfC4K-Dw", "y": "6MBNjT-tN_4c9vbyV0RHbDJdJLnbjWUqAfdkV7xZH6E",
  ]

  @Test func `two other libraries read our signatures and messages, and we read theirs`() throws {
    let payload = "{\"token\":\"Ünïcode\"}"
    let octets = Array(payload.utf8)
    let key = try SoftwareKey(Self.key)
    let messages = try KeyAlgorithm.allCases.flatMap { algorithm in
      try ContentAlgorithm.allCases.map { content in
        JSONValue(try JSONWebEncryption.compact(encrypting: octets, for: key.publicKey, algorithm, content))
      }
    }
    let request: JSONValue = [
      "key": Self.key, "payload": JSONValue(payload), "jwe": JSONValue(messages),
      "jws": JSONValue([JSONValue(try JSONWebSignature.compact(signing: octets, with: key))]),
    ]

    let answer = try JSONValue(parsing: try Oracle.run("check_jose.py", request.compact))

    let signatures = try #require(answer["jws"]?.list)
    let theirs = try #require(answer["jwe"]?.list)
    #expect(signatures.count == 2 && theirs.count == 24)
    for text in signatures.compactMap(\.text) {
      #expect(try JSONWebSignature(verifying: text, with: key.publicKey).payload == octets)
    }
    for text in theirs.compactMap(\.text) {
      #expect(try JSONWebEncryption(decrypting: text, with: key).plaintext == octets)
    }
  }

  @Test func `the request of a device states what the server needs and is signed by the registered key`() async throws {
    try await RunningServer.run { server in
      let test = try TestClient(server)
      let client = try await test.start()
      let person = ScriptedPerson(choosing: .pin)
      _ = try await Registration(username: "alice", server: server.url, options: person.registration)
        .execute(on: client)
      try await DeviceInformationChange(name: "New name").execute(on: client)

      let target = try #require(test.exchange.exchanges.first { $0.request.url.hasSuffix("/dispatch/targets") })
      let key = try JSONWebKey(try #require(try JSONValue(parsing: target.request.body)["signatureKey"]))
      let change = try #require(test.exchange.exchanges.last { $0.request.method == .patch })
      let text = String(decoding: change.request.body, as: UTF8.self)
      let payload = try JSONValue(parsing: try JSONWebSignature(verifying: text, with: key).payload)

      #expect(payload["dispatchTargetId"]?.text == (try JSONValue(parsing: target.response?.body ?? []))["id"]?.text)
      #expect((1...64).contains(try #require(payload["requestId"]?.text).count))
      #expect(try #require(payload["creationTimeInEpochMillis"]?.integer) > 0)
    }
  }
}
