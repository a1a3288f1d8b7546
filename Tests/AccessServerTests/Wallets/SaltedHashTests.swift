import Foundation
import Octets
@testable import ServerStore
import Testing

@testable import AccessMessages
@testable import AccessServer

@Suite("Salted hashes of secrets")
struct SaltedHashTests {
  static let minimal = SaltedHash.Parameters(cost: 4, parallelism: 1)

  @Test(arguments: [SaltedHash.Parameters(cost: 4, parallelism: 1), SaltedHash.Parameters(cost: 5, parallelism: 3)])
  func `a stored hash matches its secret only, with the parameters that it names`(parameters: SaltedHash.Parameters)
    throws
  {
    let hash = SaltedHash(of: "8203", parameters, random: SystemRandomSource())
    let read = try SaltedHash(stored: hash.stored)
    #expect(read == hash && read.parameters == parameters)
    #expect(read.matches("8203"))
    for wrong in ["8204", "", "82030"] { #expect(!read.matches(wrong)) }
  }

  @Test func `a hash has a salt of its own`() {
    let hashes = (0..<2).map { _ in SaltedHash(of: "8203", Self.minimal, random: SystemRandomSource()) }
    #expect(hashes[0] != hashes[1])
  }

  @Test func `another implementation of scrypt computes the same hash`() throws {
    // Computed with hashlib.scrypt of Python 3.11: password "8203", salt 00…0F, n=16, r=8, p=1, dklen=32.
    let stored = "scrypt-4-8-1.AAECAwQFBgcICQoLDA0ODw.\(Self.expected)"
    #expect(try SaltedHash(stored: stored).matches("8203"))
  }

  static let expected = "d-N0bHktEqOpUz3E1H8grnX_p5CTw95c09JRGTE1DeM"

  @Test(arguments: [
    "", "scrypt-4-8-1", "scrypt-3-8-1.AAECAwQFBgcICQoLDA0ODw.x", "bcrypt-4-8-1.AAECAwQFBgcICQoLDA0ODw.x",
    "scrypt-4-8-99.AAECAwQFBgcICQoLDA0ODw.x", "scrypt-40-8-1.AAECAwQFBgcICQoLDA0ODw.x", "..", "scrypt-a-8-1.AA.AA",
  ])
  func `a stored text of another form is damage`(text: String) {
    #expect(throws: AccessError.self) { try SaltedHash(stored: text) }
  }

  @Test func `an unknown user costs a computation too, and no secret is right`() async throws {
    let hashing = SecretHashing(.minimal)
    #expect(try await hashing.matches("8203", nil, as: .password, for: "192.0.2.1") == false)
  }

  @Test(arguments: [(" Rex ", "rex"), ("BATH  Spa", "bath spa"), ("\tÉcole\n", "école")])
  func `case and spaces of an answer do not count`(entered: String, form: String) {
    #expect(EnteredForm.answer(entered) == form)
  }
}
