import JOSE
import JSON
import Testing

@Suite("JSON Web Signature")
struct SignatureTests {
  @Test func `the signature of RFC 7515 appendix A.3 is valid`() throws {
    let vector = try Vectors.json("jose/rfc7515_A3_es256.json")
    let jwk = try #require(vector["jwk"])
    let text = try #require(vector["jws"]?.text)

    let signature = try JSONWebSignature(verifying: text, with: JSONWebKey(jwk))

    #expect(String(decoding: signature.payload, as: UTF8.self).contains("joe"))
    #expect(signature.header.algorithm == "ES256")
  }

  /// Keys of other types and curves are refused when they are read, other algorithms when the header is read.
  @Test func `every Wycheproof case with ES256 ends as published, every other algorithm is refused`() throws {
    var counts = (valid: 0, invalid: 0, foreign: 0)
    for (group, test) in try Vectors.cases("json_web_signature_test.json") {
      let name = test.caseName
      let text = try #require(test["jws"]?.text ?? test["jws"]?.compact)
      let key = (group["public"] ?? group["private"]).flatMap { try? JSONWebKey($0) }
      let verified = key.flatMap { try? JSONWebSignature(verifying: text, with: $0) }
      if key == nil {
        counts.foreign += 1
      } else if test["result"]?.text == "valid" {
        counts.valid += 1
        #expect(verified != nil, "\(name)")
      } else {
        counts.invalid += 1
        #expect(verified == nil, "\(name)")
      }
    }
    #expect(counts == (valid: 2, invalid: 39, foreign: 360))
  }

  @Test func `a signed content is verified by its own key only`() throws {
    let key = try SoftwareKey(keyID: "device-1", use: .signature)
    let text = try JSONWebSignature.compact(
      signing: Array("content".utf8), with: key, members: [("typ", "JOSE"), ("iat", 1)])

    let signature = try JSONWebSignature(verifying: text, with: key.publicKey)
    #expect(signature.payload == Array("content".utf8))
    #expect(signature.header.keyID == "device-1")
    #expect(signature.header.type == "JOSE")
    #expect(signature.header.json["iat"]?.integer == 1)

    let other = try SoftwareKey()
    let error = #expect(throws: JOSEError.self) { try JSONWebSignature(verifying: text, with: other.publicKey) }
    #expect(error?.code == .notAuthentic)
  }

  @Test func `a change of any character makes a signed content invalid`() throws {
    let key = try SoftwareKey()
    let text = try JSONWebSignature.compact(signing: [1, 2, 3], with: key)
    for index in text.indices {
      var changed = text
      changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
      #expect(throws: JOSEError.self, "character \(text.distance(from: text.startIndex, to: index))") {
        try JSONWebSignature(verifying: changed, with: key.publicKey)
      }
    }
  }

  static let headers: [(header: String, code: JOSEError.Code)] = [
    (#"{"alg":"none"}"#, .unsupported), (#"{"alg":"HS256"}"#, .unsupported), (#"{"alg":"ES384"}"#, .unsupported),
    (#"{"alg":"ES256","crit":["exp"]}"#, .unsupported), (#"{"alg":"ES256","b64":false}"#, .unsupported),
    (#"{"alg":256}"#, .malformed), (#"{"typ":"JOSE"}"#, .malformed), (#"["ES256"]"#, .malformed),
    (#"{"alg":"ES256","alg":"none"}"#, .malformed), ("{", .malformed), ("", .malformed),
  ]

  @Test(arguments: headers)
  func `other algorithms, critical extensions and malformed headers are refused`(
    header: String, code: JOSEError.Code
  ) throws {
    let key = try SoftwareKey()
    let text = Array(header.utf8).base64URL + ".AQID." + [UInt8](repeating: 1, count: 64).base64URL
    let error = #expect(throws: JOSEError.self) { try JSONWebSignature(verifying: text, with: key.publicKey) }
    #expect(error?.code == code)
  }

  @Test func `a key for encryption neither signs nor verifies`() throws {
    let key = try SoftwareKey(use: .encryption)
    #expect(throws: JOSEError.self) { try JSONWebSignature.compact(signing: [], with: key) }
    let text = "eyJhbGciOiJFUzI1NiJ9..AAAA"
    let error = #expect(throws: JOSEError.self) { try JSONWebSignature(verifying: text, with: key.publicKey) }
    #expect(error?.code == .invalidKey)
  }

  @Test func `a text above 1 MiB is refused`() throws {
    let key = try SoftwareKey()
    let text = String(repeating: "A", count: 1_048_577)
    let error = #expect(throws: JOSEError.self) { try JSONWebSignature(verifying: text, with: key.publicKey) }
    #expect(error?.reason == "1048577 characters: at most 1048576 are read")
  }
}
