import AccessMessages
import Documents
import FIDOUAF
import JOSE
import JSON
import Testing

@testable import MobileAuthentication

/// Payloads of QR codes, links and push messages.
struct OutOfBandPayloadTests {
  private static func json(
    url: String = "https://example.org/redeem", version: String = "1", token: JSONValue? = "token"
  ) -> JSONValue {
    [
      "nma_data": JSONValue(members: [("token", token), ("redeem_url", JSONValue(url))]),
      "nma_data_content_type": "application/json", "nma_data_version": JSONValue(version),
    ]
  }

  private static func decode(_ decode: OutOfBandPayloadDecode) async throws -> RedeemableOperation {
    try await decode.execute(on: try await ClientStage().client())
  }

  @Test func `JSON, base64url and a link give the same operation`() async throws {
    let payload = Self.json()
    let base64URL = Array(payload.compact.utf8).base64URL
    let decodes = [
      OutOfBandPayloadDecode(json: payload.compact), OutOfBandPayloadDecode(base64URL: base64URL),
      OutOfBandPayloadDecode(base64URL: "https://example.org/open?a=b&dispatchTokenResponse=\(base64URL)#end"),
    ]
    for decode in decodes {
      let operation = try await Self.decode(decode)
      #expect(operation.data.token == "token" && !operation.wasEncrypted)
    }
  }

  @Test(arguments: [
    json(version: "2"), json(token: nil), json(token: ""), json(url: "http://example.org/redeem"),
    json(url: "https://example.org.evil.example/redeem"), json(url: "https://example.org:8443/redeem"),
    json(url: "https://example.org@evil.example/redeem"), json(url: "redeem"), [:], "text",
  ])
  func `a payload that breaks a rule ends with MalformedPayload`(_ payload: JSONValue) async {
    await #expect { try await Self.decode(OutOfBandPayloadDecode(json: payload.compact)) } throws: { error in
      (error as? OperationError)?.code == "MalformedPayload"
    }
  }

  @Test func `both forms, neither form and bad base64url are refused`() async {
    let text = Self.json().compact
    for decode in [OutOfBandPayloadDecode(json: text, base64URL: "e30"), OutOfBandPayloadDecode()] {
      let expected = OperationError.invalidArgument("exactly one of JSON and base64url must be given")
      await #expect(throws: expected) { try await Self.decode(decode) }
    }
    for text in ["%%%", "a", ""] {
      await #expect { try await Self.decode(OutOfBandPayloadDecode(base64URL: text)) } throws: { error in
        (error as? OperationError)?.code == "MalformedPayload"
      }
    }
  }

  @Test func `a message for this device is decrypted until its keys are deleted`() async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    try await stage.register(client)
    let device = try #require(try await client.store.read().identities.first)
    let key = try await client.signer.encryptionKey(of: device).publicKey
    let data = OutOfBandPayload.RedeemData(token: "token", redeemURL: "https://example.org/redeem")
    let text = try JSONWebEncryption.compact(
      encrypting: Array(data.json.compact.utf8), for: key, .ecdhESA256KW, .a256GCM)
    let payload = OutOfBandPayload(.encrypted(text)).json.compact

    let operation = try await OutOfBandPayloadDecode(json: payload).execute(on: client)
    #expect(operation.data == data && operation.wasEncrypted)

    try await client.localData.deleteAuthenticator()
    await #expect(throws: OperationError.decryption) {
      try await OutOfBandPayloadDecode(json: payload).execute(on: client)
    }
  }

  @Test(arguments: ["3.6.0", "3.6.1", "3.6.2"])
  func `an affected version has no pending operations and makes no exchange`(_ version: String) async throws {
    let stage = try ClientStage()
    let client = try await stage.client()
    try await stage.register(client, version: version)
    #expect(try await PendingOutOfBandOperations().execute(on: client) == PendingOutOfBandOperations.Result())
    #expect(stage.requests.isEmpty)
  }

  @Test func `a server without the list of pending operations is reported as too old`() async throws {
    let stage = try ClientStage { _, _ in .success(HTTPResponse(status: 404)) }
    let client = try await stage.client()
    try await stage.register(client)
    let result = try await PendingOutOfBandOperations().execute(on: client)
    #expect(result.errors == [ClientStage.account: .operationNotSupportedByBackend])
  }
}
