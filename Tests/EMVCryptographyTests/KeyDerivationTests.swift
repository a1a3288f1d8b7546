import EMVCryptography
import EMVData
import Octets
import Testing

@Suite("Key derivation")
struct KeyDerivationTests {
  @Test(arguments: PyEMVVectors.list("kd.derive_icc_mk_a"))
  func `option A gives the card keys that a payment HSM gives`(_ vector: KnownAnswer) throws {
    #expect(try derived(vector, .optionA) == vector.out)
  }

  @Test(arguments: PyEMVVectors.list("kd.derive_icc_mk_b"))
  func `option B gives the card keys that a payment HSM gives`(_ vector: KnownAnswer) throws {
    #expect(try derived(vector, .optionB) == vector.out)
  }

  private func derived(_ vector: KnownAnswer, _ derivation: MasterKeyDerivation) throws -> String {
    let sequence = try vector.optionalText("psn").map { try octets($0)[0] }
    return try derived(vector.text("iss_mk"), vector.text("pan"), sequence, derivation)
  }

  private func derived(
    _ issuer: String, _ digits: String, _ sequence: UInt8?, _ derivation: MasterKeyDerivation
  ) throws -> String {
    let number = try #require(PrimaryAccountNumber(digits: digits))
    let issuer = try secret(issuer)
    let key = deriveICCMasterKey(from: issuer, derivation, accountNumber: number, sequenceNumber: sequence)
    return exposedHex(key)
  }

  @Test func `the vectors for option B reach account numbers above 16 digits`() throws {
    #expect(try PyEMVVectors.list("kd.derive_icc_mk_b").contains { try $0.text("pan").count > 16 })
  }

  @Test(arguments: AESVectors.all)
  func `option C gives the card keys that two other AES libraries give`(_ vector: AESVectors) throws {
    let sequence = try octets(vector.psn)[0]
    #expect(try derived(vector.imk, vector.pan, sequence, .optionC) == vector.icc_mk_option_c)
  }

  @Test(arguments: [MasterKeyDerivation.optionA, .optionB, .optionC])
  func `an absent sequence number is read as 00`(_ derivation: MasterKeyDerivation) throws {
    let issuer = "0123456789ABCDEFFEDCBA9876543210"
    let absent = try derived(issuer, "1234567890123456789", nil, derivation)
    #expect(try derived(issuer, "1234567890123456789", 0, derivation) == absent)
    #expect(try derived(issuer, "1234567890123456789", 1, derivation) != absent)
  }

  @Test(arguments: PyEMVVectors.versions.keys.sorted())
  func `the three keys of a card are those of the versions' classes`(_ name: String) throws {
    let session = try #require(PyEMVVectors.sessions[name])
    let version = try #require(PyEMVVectors.versions[name])
    let keys = try PyEMVVectors.cardKeys(version)
    #expect(exposedHex(keys.cryptogram) == session.masterKeys["icc_mk_ac"])
    #expect(exposedHex(keys.scriptIntegrity) == session.masterKeys["icc_mk_smi"])
    #expect(exposedHex(keys.scriptConfidentiality) == session.masterKeys["icc_mk_smc"])
  }
}
