import JOSE
import JSON
import Testing

@Suite("JSON Web Encryption")
struct EncryptionTests {
  static let algorithms = KeyAlgorithm.allCases.flatMap { key in ContentAlgorithm.allCases.map { (key, $0) } }

  /// Encrypted by joserfc; jwcrypto decrypted every case.
  @Test func `a content that another implementation encrypted is decrypted`() throws {
    let vectors = try Vectors.json("jose/generated_oob_jwe.json")
    let key = try SoftwareKey(#require(vectors["recipient"]))
    let plaintext = try #require(vectors["plaintext"]?.text)
    let cases = try #require(vectors["cases"]?.list)
    #expect(cases.count == 12)
    for test in cases {
      let text = try #require(test["jwe"]?.text)
      let decrypted = try JSONWebEncryption(decrypting: text, with: key)
      #expect(String(decoding: decrypted.plaintext, as: UTF8.self) == plaintext)
      #expect(decrypted.keyAlgorithm.rawValue == test["alg"]?.text)
      #expect(decrypted.contentAlgorithm.rawValue == test["enc"]?.text)
    }
  }

  @Test(arguments: algorithms)
  func `an encrypted content is decrypted by its recipient only`(key: KeyAlgorithm, content: ContentAlgorithm) throws {
    let recipient = try SoftwareKey(keyID: "device-1", use: .encryption)
    for plaintext in [[], [0x00], [UInt8](repeating: 0x5A, count: 15), [UInt8](repeating: 0xA5, count: 16)] {
      let text = try JSONWebEncryption.compact(
        encrypting: plaintext, for: recipient.publicKey, key, content, members: [("cty", "JSON")])
      let decrypted = try JSONWebEncryption(decrypting: text, with: recipient)
      #expect(decrypted.plaintext == plaintext)
      #expect(decrypted.header.keyID == "device-1")
      #expect(decrypted.header.contentType == "JSON")

      let error = #expect(throws: JOSEError.self) { try JSONWebEncryption(decrypting: text, with: SoftwareKey()) }
      #expect(error?.code == .notAuthentic)
    }
  }

  @Test func `two encryptions of one content have nothing in common`() throws {
    let recipient = try SoftwareKey()
    let texts = try (0..<2).map { _ in
      try JSONWebEncryption.compact(encrypting: [1, 2, 3], for: recipient.publicKey, .ecdhESA128KW, .a128GCM)
        .split(separator: ".")
    }
    for (first, second) in zip(texts[0], texts[1]) { #expect(first != second) }
  }

  @Test(arguments: algorithms)
  func `a change of any part makes an encrypted content invalid`(key: KeyAlgorithm, content: ContentAlgorithm) throws {
    let recipient = try SoftwareKey()
    let text = try JSONWebEncryption.compact(
      encrypting: Array("plaintext".utf8), for: recipient.publicKey, key, content)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices where !parts[index].isEmpty {
      var octets = try [UInt8](base64URL: parts[index])
      octets[octets.count / 2] ^= 1
      var changed = parts
      changed[index] = octets.base64URL
      #expect(throws: JOSEError.self, "part \(index)") {
        try JSONWebEncryption(decrypting: changed.joined(separator: "."), with: recipient)
      }
      changed[index] = [UInt8](octets.dropLast()).base64URL
      #expect(throws: JOSEError.self, "part \(index), shortened") {
        try JSONWebEncryption(decrypting: changed.joined(separator: "."), with: recipient)
      }
    }
  }

  @Test func `direct agreement with an encrypted key is refused`() throws {
    let recipient = try SoftwareKey()
    let text = try JSONWebEncryption.compact(encrypting: [1], for: recipient.publicKey, .ecdhES, .a128GCM)
    let changed = text.replacing("..", with: ".AAAA.", maxReplacements: 1)
    let error = #expect(throws: JOSEError.self) { try JSONWebEncryption(decrypting: changed, with: recipient) }
    #expect(error?.code == .malformed)
  }

  static let headers: [(header: String, code: JOSEError.Code)] = [
    (#"{"alg":"RSA-OAEP","enc":"A128GCM"}"#, .unsupported), (#"{"alg":"ECDH-ES","enc":"A192GCM"}"#, .unsupported),
    (#"{"alg":"ECDH-ES"}"#, .unsupported), (#"{"alg":"ECDH-ES","enc":"A128GCM"}"#, .malformed),
    (#"{"alg":"ECDH-ES","enc":"A128GCM","zip":"DEF"}"#, .unsupported),
    (#"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"EC","crv":"P-384","x":"","y":""}}"#, .unsupported),
    (#"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}"#, .invalidKey),
    (#"{"alg":"ECDH-ES","enc":"A128GCM","epk":{"kty":"EC","crv":"P-256","x":"AA"}}"#, .invalidKey),
    (#"{"alg":"ECDH-ES","enc":"A128GCM","epk":"key"}"#, .malformed),
  ]

  @Test(arguments: headers)
  func `other algorithms and malformed ephemeral keys are refused`(header: String, code: JOSEError.Code) throws {
    let key = try SoftwareKey()
    let text = Array(header.utf8).base64URL + "..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA"
    let error = #expect(throws: JOSEError.self) { try JSONWebEncryption(decrypting: text, with: key) }
    #expect(error?.code == code)
  }
}
