import Documents
import Fixtures
import Foundation
import JOSE
import JSON
import Testing

@testable import FIDOUAF

@Suite("UAF messages")
struct MessageTests {
  static let requests = [
    "spec_uaf10ps_registration_request", "spec_uaf11rd_registration_request", "spec_uaf10ps_authentication_request",
    "spec_uaf11rd_authentication_request",
  ]

  @Test(arguments: requests)
  func `an example request of the specification is read and written without a loss`(file: String) throws {
    let message = try UAFMessage(request: Vectors.json(file).compact)
    #expect(try UAFMessage(request: message.text) == message)
  }

  @Test(arguments: ["registration", "authentication"], ["uaf10ps", "uaf11rd"])
  func `an example response of the specification is read and written without a loss`(
    operation: String, version: String
  ) throws {
    let message = try UAFMessage(response: Vectors.json("spec_\(version)_\(operation)_response").compact)
    #expect(try UAFMessage(response: message.text) == message)
  }

  @Test func `the highest supported version of a list is taken`() throws {
    let text = try Vectors.json("spec_uaf11rd_deregistration_request").compact
    guard case .deregistrationRequest(let request) = try UAFMessage(request: text) else {
      Issue.record("not a deregistration request")
      return
    }
    #expect(request.header.version == .v1_1)
    #expect(request.targets == [.model(AAID.valid("abcd#ABCD"))])
  }

  static func request(_ json: JSONValue) throws(UAFMessageError) -> UAFMessage {
    try UAFMessage(request: JSONValue([json]).compact)
  }

  static func text(_ count: Int) -> JSONValue { JSONValue(String(repeating: "a", count: count)) }
  static func octets(_ count: Int) -> JSONValue { JSONValue([UInt8](repeating: 1, count: count).base64URL) }

  /// Values at the limits of the dictionaries of section 3.1.
  static let accepted: [(path: String, value: JSONValue?)] = [
    ("header.appID", ""), ("header.appID", text(512)), ("header.appID", nil), ("header.serverData", text(1)),
    ("header.serverData", text(1_536)), ("header.serverData", nil), ("header.exts", []),
    ("header.exts", [["id": text(32), "data": "x", "fail_if_unknown": true]]), ("challenge", octets(8)),
    ("challenge", octets(64)), ("username", text(1)), ("username", text(128)), ("unknown", ["any": 1]),
    ("policy.accepted", [[["keyIDs": [octets(32)]]]]), ("policy.accepted", [[["keyIDs": [octets(2_048)]]]]),
    ("policy.accepted", [[["userVerification": 1023]]]), ("policy.accepted", [[["aaid": ["f1d0#1a0b"]]]]),
    ("policy.disallowed", []),
  ]

  @Test(arguments: accepted.indices)
  func `a value at its limit is accepted`(row: Int) throws {
    let change = Self.accepted[row]
    _ = try Self.request(Changed.at(change.path, change.value))
  }

  static let refused: [(path: String, value: JSONValue?, named: String)] = [
    ("header", nil, "$[0].header"), ("header", "Reg", "$[0].header"), ("header.upv", nil, "$[0].header.upv"),
    ("header.upv.major", "1", "$[0].header.upv.major"), ("header.upv.minor", 65_536, "$[0].header.upv.minor"),
    ("header.upv.minor", -1, "$[0].header.upv.minor"), ("header.op", "reg", "$[0].header.op"),
    ("header.op", nil, "$[0].header.op"), ("header.appID", text(513), "$[0].header.appID"),
    ("header.appID", 1, "$[0].header.appID"), ("header.serverData", "", "$[0].header.serverData"),
    ("header.serverData", text(1_537), "$[0].header.serverData"), ("header.exts", ["id": "x"], "$[0].header.exts"),
    ("header.exts", [["id": "", "data": "", "fail_if_unknown": true]], "$[0].header.exts[0].id"),
    ("header.exts", [["id": text(33), "data": "", "fail_if_unknown": true]], "$[0].header.exts[0].id"),
    ("header.exts", [["id": "x", "data": ""]], "$[0].header.exts[0].fail_if_unknown"),
    ("header.exts", [["id": "x", "fail_if_unknown": true]], "$[0].header.exts[0].data"),
    ("header.exts", [["id": "x", "data": "", "fail_if_unknown": 1]], "$[0].header.exts[0].fail_if_unknown"),
    ("challenge", nil, "$[0].challenge"), ("challenge", octets(7), "$[0].challenge"),
    ("challenge", octets(65), "$[0].challenge"), ("challenge", "AAECAwQFBgc=", "$[0].challenge"),
    ("challenge", "AAECAwQFBg+/", "$[0].challenge"), ("username", nil, "$[0].username"),
    ("username", "", "$[0].username"),
    ("username", text(129), "$[0].username"), ("policy", nil, "$[0].policy"),
    ("policy.accepted", nil, "$[0].policy.accepted"),
    ("policy.accepted", [], "$[0].policy.accepted"), ("policy.accepted", [[]], "$[0].policy.accepted[0]"),
    ("policy.accepted", [["aaid": ["F1D0#1001"]]], "$[0].policy.accepted[0]"),
    ("policy.accepted", [[["aaid": "F1D0#1001"]]], "$[0].policy.accepted[0][0].aaid"),
    ("policy.accepted", [[["aaid": ["F1D0-1001"]]]], "$[0].policy.accepted[0][0].aaid[0]"),
    ("policy.accepted", [[["aaid": ["F1D0#10G1"]]]], "$[0].policy.accepted[0][0].aaid[0]"),
    ("policy.accepted", [[["keyIDs": [octets(31)]]]], "$[0].policy.accepted[0][0].keyIDs[0]"),
    ("policy.accepted", [[["keyIDs": [octets(2_049)]]]], "$[0].policy.accepted[0][0].keyIDs[0]"),
    ("policy.accepted", [[["userVerification": "1"]]], "$[0].policy.accepted[0][0].userVerification"),
    ("policy.accepted", [[["keyProtection": 65_536]]], "$[0].policy.accepted[0][0].keyProtection"),
    ("policy.accepted", [[["authenticationAlgorithms": 1]]], "$[0].policy.accepted[0][0].authenticationAlgorithms"),
    ("policy.disallowed", [["vendorID": ["F1D"]]], "$[0].policy.disallowed[0].vendorID[0]"),
  ]

  @Test(arguments: refused.indices)
  func `a value beyond its limit or of a wrong type is a protocol error at its path`(row: Int) {
    let change = Self.refused[row]
    let error = #expect(throws: UAFMessageError.self) { try Self.request(Changed.at(change.path, change.value)) }
    #expect(error?.path == change.named)
    #expect(error?.code == .protocolError)
  }

  @Test func `a model identifier as text in place of a list, as in a public report, is a protocol error`() throws {
    let text = String(
      decoding: try Fixtures.data("Transcripts/Public/92-request-aaid-as-text.json"), as: UTF8.self)
    let error = #expect(throws: UAFMessageError.self) { try UAFMessage(request: text) }
    #expect(error?.code == .protocolError)
    #expect(error?.path == "$[0].policy.accepted[0][0].aaid")
  }

  @Test func `lists without a usable dictionary are refused`() {
    let one = Changed.registration
    let other = Changed.at("header.upv.major", 2)
    let rows: [(JSONValue, UAFErrorCode)] = [
      ([], .unsupportedVersion), ([other], .unsupportedVersion), ([one, one], .protocolError), (one, .protocolError),
      ([1], .protocolError),
    ]
    for (json, code) in rows {
      let error = #expect(throws: UAFMessageError.self) { try UAFMessage(request: json.compact) }
      #expect(error?.code == code)
    }
    #expect(throws: UAFMessageError.self) { try UAFMessage(request: "{") }
    let large = "[" + String(repeating: " ", count: UAFMessage.maximumCount) + "]"
    #expect(throws: UAFMessageError.self) { try UAFMessage(request: large) }
  }

  static func deregistration(_ authenticators: JSONValue) -> JSONValue {
    ["header": ["upv": ["major": 1, "minor": 1], "op": "Dereg"], "authenticators": authenticators]
  }

  @Test func `a deregistration names everything, a model or a key`() throws {
    let key = Vectors.keyID.json
    let rows: [(JSONValue, [DeregistrationRequest.Target])] = [
      ([["aaid": "", "keyID": ""]], [.everything]),
      ([["aaid": "F1D0#1001", "keyID": ""]], [.model(Vectors.aaid)]),
      (
        [["aaid": "F1D0#1001", "keyID": key], ["aaid": "F1D0#1005", "keyID": ""]],
        [.key(Vectors.aaid, Vectors.keyID), .model(AAID.valid("F1D0#1005"))]
      ),
    ]
    for (json, targets) in rows {
      guard case .deregistrationRequest(let request) = try Self.request(Self.deregistration(json)) else { continue }
      #expect(request.targets == targets)
      #expect(request.json["authenticators"] == json)
    }
  }

  static let wrongTargets: [JSONValue] = [
    [], [["aaid": "", "keyID": ""], ["aaid": "F1D0#1001", "keyID": ""]], [["aaid": "", "keyID": Vectors.keyID.json]],
    [["aaid": "F1D0#1001"]], [["keyID": ""]], [["aaid": "F1D0#1001", "keyID": "AAAA"]],
    [["aaid": "F1D0", "keyID": ""]],
  ]

  @Test(arguments: wrongTargets)
  func `a deregistration with an incomplete or a mixed target is refused`(authenticators: JSONValue) {
    #expect(throws: UAFMessageError.self) { try Self.request(Self.deregistration(authenticators)) }
  }

  @Test func `the text of a transaction is ASCII of at most 200 characters`() throws {
    #expect(Transaction(text: String(repeating: "a", count: 200)) != nil)
    #expect(Transaction(text: String(repeating: "a", count: 201)) == nil)
    #expect(Transaction(text: "ä") == nil)
    #expect(Transaction(text: "") == nil)
    let transaction = try #require(Transaction(text: "Transfer 100 CHF to Alice?"))
    #expect(try Transaction(transaction.json, at: "$") == transaction)
    #expect(throws: DocumentError.self) { try Transaction(["contentType": "image/png", "content": "AAAA"], at: "$") }
    #expect(throws: DocumentError.self) { try Transaction(["contentType": "text/html", "content": "AAAA"], at: "$") }
    #expect(throws: DocumentError.self) { try Transaction(["contentType": "text/plain", "content": ""], at: "$") }
  }

  @Test func `mutated messages are read or refused, and never trap`() {
    let valid = Array(JSONValue([Changed.registration]).compact.utf8)
    var state: UInt64 = 2_026
    for _ in 0..<20_000 {
      var octets = valid
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let index = Int(state >> 33) % octets.count
        switch state >> 20 & 3 {
        case 0: octets.remove(at: index)
        case 1: octets.insert(UInt8(truncatingIfNeeded: state >> 8), at: index)
        default: octets[index] = UInt8(truncatingIfNeeded: state >> 8)
        }
      }
      _ = try? UAFMessage(request: String(decoding: octets, as: UTF8.self))
    }
  }
}
