import Documents
import FIDOUAF
import JOSE
import JSON
import Testing

@testable import AccessMessages

@Suite("Bodies of the HTTP interface")
struct RoundTripTests {
  /// A body, and what reading it and writing it again returns.
  struct Body: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let json: JSONValue
    let again: @Sendable (JSONValue) throws -> JSONValue

    init(_ name: String, _ json: JSONValue, _ again: @escaping @Sendable (JSONValue) throws -> JSONValue) {
      (testDescription, self.json, self.again) = (name, json, again)
    }
  }

  static let key = String(repeating: "A", count: 43)
  static let identifier: JSONValue = JSONValue(key)
  static let jwk: JSONValue = [
    "kty": "EC", "crv": "P-256", "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
    "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
  ]
  static let plainPayload: JSONValue = [
    "nma_data": ["token": "t", "redeem_url": "https://server.test/r"], "nma_data_content_type": "application/json",
    "nma_data_version": "1",
  ]

  static let bodies: [Body] = [
    Body("failure", ["code": "nameInUse", "message": "m"]) { try AccessFailure($0).json },
    Body("request context", ["username": "alice", "policy": "ios", "transaction": "Pay 5"]) {
      try RequestContext($0).json
    },
    Body(
      "keys to deregister", ["authenticators": [["aaid": "F1D0#1001"], ["aaid": "F1D0#1001", "keyID": identifier]]]
    ) {
      try RequestContext($0).json
    },
    Body("response context", ["deviceId": "d", "asmStatusCode": 3, "clientErrorCode": 255]) {
      try ResponseContext(text: $0.compact).json
    },
    Body("status request", ["sessionId": "s"]) { try StatusRequest($0).json },
    Body(
      "status",
      [
        "status": "succeeded", "timestamp": 1, "userId": "alice", "uafStatusCode": 1200, "asmStatusCode": 0,
        "clientErrorCode": 0, "authenticators": [["aaid": "F1D0#1001", "keyId": identifier, "extId": "e"]],
        "tokenInformation": [
          "dispatchTargetExtId": "x", "tokenResult": "tokenRedeemed", "dispatcherInformation": ["name": "link"],
        ],
      ]
    ) { try OperationStatus($0).json },
    Body("client versions", ["minimum": "1", "latest": "2", "url": "u"]) { try ClientVersions($0).json },
    Body(
      "dispatch",
      [
        "getUafRequest": ["op": "Auth", "context": "{}"], "dispatcher": "link", "dispatchTargetId": "t",
        "dispatchInformation": ["title": "x"],
      ]
    ) { try DispatchRequest($0).json },
    Body(
      "dispatched",
      [
        "token": "t", "sessionId": "s", "dispatcherInformation": ["name": "link", "response": "r"],
        "dispatchResult": "dispatched",
      ]
    ) { try DispatchResponse($0).json },
    Body("redeem", ["token": "t"]) { try RedeemRequest($0).json },
    Body("plain payload", plainPayload) { try OutOfBandPayload($0).json },
    Body(
      "encrypted payload",
      ["nma_data": "a.b.c.d.e", "nma_data_content_type": "application/jose", "nma_data_version": "1"]
    ) { try OutOfBandPayload(base64URL: OutOfBandPayload($0).base64URL).json },
    Body(
      "target",
      [
        "username": "alice", "deviceId": "d", "name": "Phone", "target": "p", "dispatcher": "link", "signatureKey": jwk,
        "encryptionKey": jwk, "clientVersion": "1", "replaces": "c",
      ]
    ) { try DispatchTargetRegistration($0).json },
    Body("identifiers", ["id": "i", "extId": "e"]) { try DispatchTargetIdentifiers($0).json },
    Body(
      "targets", ["dispatchTargets": [["name": "Phone", "id": "i", "dispatcher": "link"], ["name": "b", "id": "c"]]]
    ) {
      try DispatchTargetList($0).json
    },
    Body(
      "device request",
      [
        "dispatchTargetId": "t", "requestId": "r", "creationTimeInEpochMillis": 1,
        "audience": "https://server.test", "purpose": "change", "name": "n",
        "target": nil,
      ]
    ) { try DeviceRequest($0).json },
    Body(
      "credentials",
      [
        "credentials": [
          [
            "username": "alice", "aaid": "F1D0#1001", "keyId": identifier, "extId": "e", "creationTimeInEpochMillis": 1,
          ]
        ]
      ]
    ) { try DeviceCredentials($0).json },
    Body(
      "pending operations",
      [
        "operations": [
          [
            "creationTimeInEpochMillis": 1, "expirationTimeInEpochMillis": 2, "dispatchChannel": "link",
            "payload": plainPayload, "additionalInformation": "{}",
          ]
        ]
      ]
    ) { try PendingOperations($0).json },
    Body("added user", ["name": "alice", "registrationToken": "t", "expiresAt": 1]) { try AddedUser($0).json },
    Body(
      "devices",
      [
        "devices": [
          [
            "id": "i", "deviceId": "d", "account": "alice", "name": "Phone", "state": "active", "push": true,
            "createdAt": 1,
          ]
        ], "next": "i",
      ]
    ) { try DeviceList($0).json },
    Body("device state", ["state": "inactive"]) { try DeviceStateChange($0).json },
  ]

  @Test(arguments: bodies) func `a body is written as it was read`(body: Body) throws {
    #expect(try body.again(body.json) == body.json)
  }

  @Test(arguments: bodies) func `a member of the wrong type is refused`(body: Body) throws {
    for member in body.json.members ?? [] where member.key != "target" {
      let wrong = body.json.setting(member.key, to: [[nil]])
      #expect(throws: DocumentError.self, "\(member.key)") { try body.again(wrong) }
    }
    #expect(throws: DocumentError.self) { try body.again([]) }
  }

  @Test(arguments: [(1, true), (128, true), (0, false), (129, false)])
  func `a user name has 1 to 128 characters`(count: Int, isValid: Bool) {
    let json: JSONValue = ["username": JSONValue(String(repeating: "ä", count: count))]
    #expect(((try? RequestContext(json)) != nil) == isValid)
  }

  @Test func `no text contains U+0000`() {
    #expect(throws: DocumentError.self) { try RequestContext(["username": "a\u{0}b"]) }
  }

  @Test(arguments: [
    ("2", "application/json"), ("1", "text/plain"), ("1", "application/jose"),
  ])
  func `a payload of another version or type is refused`(version: String, type: String) {
    let changed = Self.plainPayload.setting("nma_data_version", to: JSONValue(version))
      .setting("nma_data_content_type", to: JSONValue(type))
    #expect(throws: DocumentError.self) { try OutOfBandPayload(changed) }
  }

  @Test(arguments: ["", "e30", "e30=", "!", "bm90IEpTT04"])
  func `a text that is not a payload in base64url is refused`(text: String) {
    #expect(throws: DocumentError.self) { try OutOfBandPayload(base64URL: text) }
  }

  @Test func `an absent push token is no change, and null disables push messages`() throws {
    let request: JSONValue = ["dispatchTargetId": "t", "requestId": "r", "creationTimeInEpochMillis": 1]
    #expect(try DeviceRequest(request).change == nil)
    #expect(try DeviceRequest(request.setting("target", to: nil)).change == nil)
    let disabled = JSONValue(
      members: (request.members ?? []).map { ($0.key, $0.value) } + [("target", JSONValue(.null))])
    #expect(try DeviceRequest(disabled).change?.pushTarget == .disabled)
  }

  @Test(arguments: [
    ("application/jose", true), ("application/jose;charset=UTF-8", true), ("APPLICATION/JOSE ; charset=utf-8", true),
    ("application/jose;charset=latin1", false), ("application/json", false), ("application/jose+x", false), ("", false),
  ])
  func `a Content-Type states its type in any case, in UTF-8`(header: String, states: Bool) {
    #expect(MediaType.header(header, states: MediaType.jose) == states)
  }
}
