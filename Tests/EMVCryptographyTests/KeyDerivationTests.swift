import EMVCryptography
import EMVData
import Octets
import Testing

@Suite("Key derivation")
struct KeyDerivationTests {
  @Test("Option A gives the card keys that a payment HSM gives", arguments: PyEMVVectors.all.optionA)
  func optionA(_ vector: PyEMVVectors.MasterKey) throws {
    #expect(try derived(vector, .optionA) == vector.out)
  }

  @Test("Option B gives the card keys that a payment HSM gives", arguments: PyEMVVectors.all.optionB)
  func optionB(_ vector: PyEMVVectors.MasterKey) throws {
    #expect(try derived(vector, .optionB) == vector.out)
  }

  private func derived(_ vector: PyEMVVectors.MasterKey, _ derivation: MasterKeyDerivation) throws -> String {
    let number = try #require(PrimaryAccountNumber(digits: vector.args.pan))
    let sequence = try vector.args.psn.map { try octets($0)[0] }
    let issuer = try secret(vector.args.iss_mk)
    let key = deriveICCMasterKey(from: issuer, derivation, accountNumber: number, sequenceNumber: sequence)
    return exposedHex(key)
  }

  @Test("the vectors for option B reach account numbers above 16 digits")
  func optionBIsCovered() {
    #expect(PyEMVVectors.all.optionB.contains { $0.args.pan.count > 16 })
  }

  @Test("an absent sequence number counts as 00")
  func absentSequenceNumber() throws {
    let number = try #require(PrimaryAccountNumber(digits: "1234567890123456"))
    let issuer = try secret("0123456789ABCDEFFEDCBA9876543210")
    let absent = deriveICCMasterKey(from: issuer, .optionA, accountNumber: number, sequenceNumber: nil)
    let zero = deriveICCMasterKey(from: issuer, .optionA, accountNumber: number, sequenceNumber: 0)
    #expect(exposedHex(absent) == exposedHex(zero))
  }

  @Test("common session keys are those of a payment HSM", arguments: PyEMVVectors.all.sessionKeys)
  func commonSessionKey(_ vector: PyEMVVectors.SessionKey) throws {
    let diversifier = try #require(UInt64(vector.args.r, radix: 16))
    let master = try secret(vector.args.icc_mk)
    #expect(exposedHex(deriveCommonSessionKey(from: master, diversifier: diversifier)) == vector.out)
  }

  @Test("a transaction's session key has its counter and zeros as R")
  func counterAsDiversifier() throws {
    let master = try secret("0123456789ABCDEFFEDCBA9876543210")
    let byCounter = deriveCommonSessionKey(from: master, atc: 0x1234)
    #expect(exposedHex(byCounter) == exposedHex(deriveCommonSessionKey(from: master, diversifier: 0x1234 << 48)))
    #expect(exposedHex(byCounter) != exposedHex(deriveCommonSessionKey(from: master, atc: 0x1235)))
  }
}
