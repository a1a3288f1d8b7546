import Foundation
import JOSE
import Octets
import TestSupport
import Testing

@testable import FIDOUAF

/// RSA keys and signatures, made by OpenSSL.
@Suite("RSA of old servers")
struct RSATests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func openssl(_ arguments: String...) throws {
    let run = try ProgramRun("env", ["-C", scratch.directory.path, "openssl"] + arguments)
    try #require(try run.finish() == .exited(0), "openssl: \(run.errors)")
  }

  private func octets(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: scratch.path(file))))
  }

  private func key(bits: Int) throws -> [UInt8] {
    try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)", "-out", "key.pem")
    try openssl("pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "public.der")
    return try octets("public.der")
  }

  @Test func `signatures of OpenSSL verify in every RSA algorithm, and fail with one changed bit`() throws {
    let publicKey = try RegisteredPublicKey(key(bits: 2_048), .rsa2048SubjectPublicKeyInfo)
    let message = Array("registration data".utf8)
    _ = try scratch.write("message", "registration data")
    let signed: [(String, SignatureAlgorithm, SignatureAlgorithm)] = [
      ("pkcs1", .rsaPKCS1WithSHA256Raw, .rsaPKCS1WithSHA256DER), ("pss", .rsaPSSWithSHA256Raw, .rsaPSSWithSHA256DER),
    ]
    for (padding, raw, der) in signed {
      try openssl(
        "dgst", "-sha256", "-sign", "key.pem", "-sigopt", "rsa_padding_mode:\(padding)", "-sigopt",
        padding == "pss" ? "rsa_pss_saltlen:digest" : "rsa_padding_mode:pkcs1", "-out", "signature", "message")
      let signature = try octets("signature")
      #expect(publicKey.isValid(signature, raw, over: message))
      #expect(publicKey.isValid(OctetString.encoded(signature), der, over: message))
      #expect(!publicKey.isValid(signature, der, over: message))
      #expect(!publicKey.isValid(signature, .p256ECDSAWithSHA256DER, over: message))
      var changed = signature
      changed[100] ^= 1
      #expect(!publicKey.isValid(changed, raw, over: message))
      #expect(!publicKey.isValid(OctetString.encoded(signature) + [0], der, over: message))
      #expect(!publicKey.isValid(signature, raw, over: message + [0]))
    }
  }

  @Test(arguments: [1_024, 3_072])
  func `an RSA key of another size is refused`(bits: Int) throws {
    let key = try key(bits: bits)
    #expect { try RegisteredPublicKey(key, .rsa2048SubjectPublicKeyInfo) } throws: { error in
      (error as? AssertionError)?.code == .unacceptableKey
    }
  }

  @Test func `the assertions of an RSA key state algorithm 9 and encoding 103`() throws {
    let registration = RegistrationAssertion.unsigned(
      aaid: .valid("F1D0#0001"), finalChallengeHash: AssertionTests.hash, keyID: Vectors.keyID, publicKey: [1],
      algorithm: .rsa
    )
    #expect(registration.signedOctets.hex.contains(["0E2E0700", "010001", "0900", "0301"].joined()))
    let authentication = AuthenticationAssertion.unsigned(
      aaid: .valid("F1D0#0001"), nonce: [UInt8](repeating: 1, count: 8), finalChallengeHash: AssertionTests.hash,
      transactionHash: nil, keyID: Vectors.keyID, algorithm: .rsa)
    #expect(authentication.signedOctets.hex.contains(["0E2E0500", "010001", "0900"].joined()))
  }

  @Test(arguments: [0, 1, 127, 128, 255, 256, 65_535])
  func `an OCTET STRING is read as it was written`(count: Int) {
    let content = [UInt8](repeating: 7, count: count)
    #expect(OctetString.content(of: OctetString.encoded(content)) == content)
  }
}
