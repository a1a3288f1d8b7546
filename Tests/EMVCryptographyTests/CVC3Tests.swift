import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Dynamic card verification codes")
struct CVC3Tests {
  @Test(arguments: PyEMVVectors.list("cvv.generate_cvc3"))
  func `the code is a payment HSM's`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("icc_cvc3")
    let keys = TripleDESKeys(key)
    let track = try vector.octets("track_template")
    let random: UInt32 = try vector.integer("un")
    let counter: UInt16 = try vector.integer("atc")
    let vectorOfTrack = CVC3.initialVector(of: track.span, keys)
    let code = CVC3(initialVector: vectorOfTrack, unpredictableNumber: random, atc: counter, keys)
    #expect(code.digits == vector.out)
  }

  @Test(arguments: CVC3Vectors.all)
  func `the code is the formula's`(_ vector: CVC3Vectors) throws {
    let key = try secret(vector.kd_cvc3)
    let initial = try #require(UInt16(vector.iv_cvc3, radix: 16))
    let random = try #require(UInt32(vector.un, radix: 16))
    let counter = try #require(UInt16(vector.atc, radix: 16))
    let code = CVC3(initialVector: initial, unpredictableNumber: random, atc: counter, TripleDESKeys(key))
    #expect(code.value.hex == vector.cvc3)
    #expect(code.digits == vector.cvc3_decimal)
  }

  @Test(arguments: [
    (UInt16(0), "00000"), (7, "00007"), (9999, "09999"), (10000, "10000"), (0x609B, "24731"), (.max, "65535"),
  ])
  func `a code below 10000 has zeros on the left`(_ value: UInt16, _ digits: String) {
    #expect(CVC3(value).digits == digits)
  }

  @Test func `a ring's key makes the code under its index`() throws {
    let octets = try octets(SessionKeyTests.master)
    let other = [UInt8](repeating: 1, count: 16)
    let ring = TripleDESKeys(count: 2) { Secret(copying: $0 == 0 ? other : octets) }
    let single = TripleDESKeys(Secret(copying: octets))
    let ours = CVC3(initialVector: 1, unpredictableNumber: 2, atc: 3, ring, with: 1)
    #expect(CVC3(initialVector: 1, unpredictableNumber: 2, atc: 3, single) == ours)
    let message: [UInt8] = [1, 2, 3]
    let initial = CVC3.initialVector(of: message.span, ring, with: 1)
    #expect(CVC3.initialVector(of: message.span, single) == initial)
  }
}
