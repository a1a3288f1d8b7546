import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Session keys")
struct SessionKeyTests {
  static let master = "0123456789ABCDEFFEDCBA9876543210"

  @Test(arguments: PyEMVVectors.list("kd.derive_common_sk"))
  func `common session keys are those of a payment HSM`(_ vector: KnownAnswer) throws {
    let master = try vector.secret("icc_mk")
    let diversifier: UInt64 = try vector.integer("r")
    #expect(exposedHex(deriveCommonSessionKey(from: master, diversifier: diversifier)) == vector.out)
  }

  @Test(
    arguments: PyEMVVectors.list("kd.derive_common_sk")
  )
  func `a key replaced in its own block is the same session key`(_ vector: KnownAnswer) throws {
    let master = try vector.octets("icc_mk")
    let diversifier: UInt64 = try vector.integer("r")
    let wanted = try secret(vector.out)
    let block = TripleDESKeys(wanted).encipher(0x0123_4567_89AB_CDEF)
    var ring = TripleDESKeys(count: 2) { _ in Secret(copying: master) }
    ring.replaceKey(at: 1, withSessionKeyFrom: 0, diversifier: diversifier)
    #expect(ring.encipher(0x0123_4567_89AB_CDEF, with: 1) == block)
    let untouched = TripleDESKeys(Secret(copying: master)).encipher(1)
    #expect(ring.encipher(1, with: 0) == untouched)
    ring.replaceKey(at: 0, withSessionKeyFrom: 0, diversifier: diversifier)
    #expect(ring.encipher(0x0123_4567_89AB_CDEF, with: 0) == block)
  }

  @Test(arguments: PyEMVVectors.list("kd.derive_visa_sm_sk"))
  func `Visa's script keys are those of a payment HSM`(_ vector: KnownAnswer) throws {
    let master = try vector.secret("icc_mk")
    let counter: UInt16 = try vector.integer("atc")
    #expect(exposedHex(deriveVisaScriptKey(from: master, atc: counter)) == vector.out)
  }

  @Test(arguments: AESVectors.all)
  func `AES session keys are those of two other AES libraries`(_ vector: AESVectors) throws {
    let master = try secret(vector.icc_mk_option_c)
    let counter = try #require(UInt16(vector.atc, radix: 16))
    let cryptogram = try #require(UInt64(vector.ac, radix: 16))
    #expect(exposedHex(deriveAESSessionKey(from: master, diversifier: UInt128(counter) << 112)) == vector.sk_ac)
    let messaging = deriveAESSessionKey(from: master, diversifier: UInt128(cryptogram) << 64)
    #expect(exposedHex(messaging) == vector.sk_sm_with_R_arqc)
  }

  @Test(arguments: PyEMVVectors.versions.keys.sorted())
  func `every session key of every version is the one listed`(_ name: String) throws {
    let version = try #require(PyEMVVectors.versions[name])
    let session = try #require(PyEMVVectors.sessions[name])
    let made = try #require(session.results["generate_ac"]?.first)
    let counter: UInt16 = try made.integer("tag_9f36")
    let random: UInt32 = try made.integer("tag_9f37")
    let cryptogram = try #require(UInt64(made.out, radix: 16))
    let keys = try PyEMVVectors.cardKeys(version)
    for (rule, listed) in session.sessionKeys {
      let found: String
      if rule.hasPrefix("derive_sk_sm") {
        let found1 = version.scriptSessionKey(
          masterKey: keys.scriptIntegrity, atc: counter, cryptogram: cryptogram)
        let found2 = version.scriptSessionKey(
          masterKey: keys.scriptConfidentiality, atc: counter, cryptogram: cryptogram)
        found = rule.hasSuffix("smi") ? listing(found1) : listing(found2)
      } else if rule.hasPrefix("derive_sk_arpc") {
        #expect(version.response?.key == .masterKey)
        found = listing(keys.cryptogram)
      } else {
        let key = version.cryptogramKey(masterKey: keys.cryptogram, atc: counter, unpredictableNumber: random)
        found = listing(key)
      }
      #expect(found == listed, "\(rule)")
    }
  }

  /// A key and its check value, the first two bytes of enciphered zeros.
  private func listing(_ key: borrowing Secret) -> String {
    exposedHex(key) + " kcv " + TripleDESKeys(key).encipher(0).hex.prefix(4)
  }
}
