import Crypto
import JSON
import Octets
import Testing

@testable import JOSE

/// The building blocks of JWE against vectors from elsewhere.
@Suite("Primitives of JSON Web Encryption")
struct PrimitiveTests {
  @Test func `the key of RFC 7518 appendix C is derived`() throws {
    let vector = try Vectors.json("jose/rfc7518_appendixC.json")
    let alice = try SoftwareKey(#require(vector["alice"]))
    let bob = try SoftwareKey(#require(vector["bob"]))
    let parties = ConcatKeyDerivation.Parties(producer: Array("Alice".utf8), recipient: Array("Bob".utf8))

    #expect(ConcatKeyDerivation.otherInformation("A128GCM", count: 16, parties) == (try vector.hex("otherinfo_hex")))

    let expected = try vector.hex("Z_hex")
    let agreedByAlice = try alice.sharedSecret(with: bob.publicKey).withExposedOctets { $0.hex }
    let agreedByBob = try bob.sharedSecret(with: alice.publicKey).withExposedOctets { $0.hex }
    #expect(agreedByAlice == expected.hex)
    #expect(agreedByBob == expected.hex)

    let key = ConcatKeyDerivation.key(
      from: SymmetricKey(data: expected), for: "A128GCM", count: 16, parties)
    #expect(key.withUnsafeBytes { [UInt8]($0) }.base64URL == vector["derived_b64url"]?.text)
  }

  @Test func `every Wycheproof case of A128CBC-HS256 ends as published`() throws {
    let cases = try Vectors.cases("a128cbc_hs256_test.json")
    #expect(cases.count == 94)
    for (_, test) in cases {
      let isValid = test["result"]?.text == "valid"
      let key = SymmetricKey(data: try test.hex("key"))
      let content = EncryptedContent(
        vector: try test.hex("iv"), ciphertext: try test.hex("ct"), tag: try test.hex("tag"))
      let plaintext = try? ContentAlgorithm.a128CBCHS256.decrypt(content, key: key, authenticated: test.hex("aad"))
      #expect(plaintext == (isValid ? try test.hex("msg") : nil), "\(test.caseName)")
      guard isValid else { continue }
      let encrypted = try ContentAlgorithm.a128CBCHS256.encrypt(
        test.hex("msg"), key: key, vector: content.vector, authenticated: test.hex("aad"))
      #expect(encrypted == content, "\(test.caseName)")
    }
  }

  @Test func `every Wycheproof agreement on an uncompressed point ends as published`() throws {
    var agreed = 0
    for (_, test) in try Vectors.cases("ecdh_secp256r1_ecpoint_test.json") {
      guard let key = try? JSONWebKey(x963: test.hex("public")), test["result"]?.text == "valid" else { continue }
      agreed += 1
      // The vectors have leading zeros or lack them; a scalar has 32 bytes.
      let scalar = Array(([UInt8](repeating: 0, count: 32) + (try test.hex("private"))).suffix(32))
      let own = try P256.KeyAgreement.PrivateKey(rawRepresentation: scalar)
      let point = try JSONWebKey(x963: [UInt8](own.publicKey.x963Representation))
      let members: [(String, JSONValue)] = [("d", JSONValue(scalar.base64URL))]
      let software = try SoftwareKey(
        JSONValue(members: (point.json.members ?? []).map { ($0.key, $0.value) } + members))
      let secret = try software.sharedSecret(with: key).withExposedOctets { $0.hex }
      #expect(secret == test["shared"]?.text?.uppercased(), "\(test.caseName)")
    }
    #expect(agreed > 200)
  }

  @Test func `every Wycheproof case of AES key wrapping ends as published`() throws {
    let cases = try Vectors.cases("aes_wrap_test.json")
    #expect(cases.count == 165)
    for (_, test) in cases where [16, 32].contains(try test.hex("key").count) {
      let key = SymmetricKey(data: try test.hex("key"))
      let unwrapped = try? AES.KeyWrap.unwrap(test.hex("ct"), using: key).withUnsafeBytes { [UInt8]($0) }
      if test["result"]?.text == "valid" {
        #expect(unwrapped == (try test.hex("msg")), "\(test.caseName)")
      } else if test["result"]?.text == "invalid" {
        #expect(unwrapped == nil, "\(test.caseName)")
      }
    }
  }

  @Test func `no Wycheproof point that is off the curve becomes a key`() throws {
    var refused = 0
    for (_, test) in try Vectors.cases("ecdh_secp256r1_ecpoint_test.json") {
      let octets = try test.hex("public")
      guard octets.count == 65, octets[0] == 4 else {
        #expect(throws: JOSEError.self, "\(test.caseName)") { try JSONWebKey(x963: octets) }
        refused += 1
        continue
      }
      let key = try? JSONWebKey(x963: octets)
      if test["result"]?.text == "invalid" {
        refused += 1
        #expect(key == nil, "\(test.caseName)")
      } else {
        #expect(key != nil, "\(test.caseName)")
      }
    }
    #expect(refused > 0)
  }
}
