import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Keys of certification authorities")
struct AuthorityKeyTests {
  @Test func `all faults of a key are reported together`() throws {
    let faults = CertificationAuthorityKey.faults(
      provider: [0xA0, 0, 0, 0], index: 1, modulus: [2], exponent: [5], checksum: [])
    #expect(faults == [.provider(count: 4), .key, .checksum])
    #expect(throws: CertificationAuthorityKey.Fault.provider(count: 4)) {
      try CertificationAuthorityKey(provider: [0xA0, 0, 0, 0], index: 1, modulus: [2], exponent: [5], checksum: [])
    }
  }

  @Test func `the checksum covers provider, index, modulus and exponent`() throws {
    let vector = try ChainVector.valid("fDDA").authority
    let (provider, modulus) = (try [UInt8](hex: vector.rid), try [UInt8](hex: vector.modulus))
    let checksum = try [UInt8](hex: vector.checksum)
    func faults(_ provider: [UInt8], _ index: UInt8, _ modulus: [UInt8], _ exponent: [UInt8]) -> Int {
      CertificationAuthorityKey.faults(
        provider: provider, index: index, modulus: modulus, exponent: exponent, checksum: checksum
      ).count
    }
    #expect(faults(provider, 1, modulus, [3]) == 0)
    #expect(faults([0xF0, 0, 0, 0, 2], 1, modulus, [3]) == 1)
    #expect(faults(provider, 2, modulus, [3]) == 1)
    #expect(faults(provider, 1, modulus.dropLast() + [modulus[modulus.count - 1] ^ 2], [3]) == 1)
    #expect(faults(provider, 1, modulus, [1, 0, 1]) == 1)
  }

  /// Bits of the modulus, its last byte, the exponent, and whether the key is possible.
  @Test(arguments: [
    (511, UInt8(1), "03", false), (512, 1, "03", true), (1984, 1, "03", true), (1985, 1, "03", false),
    (1024, 2, "03", false), (1024, 1, "010001", true), (1024, 1, "02", false), (1024, 1, "05", false),
    (1024, 1, "0003", false), (1024, 1, "00010001", false), (1024, 1, "", false), (0, 1, "03", false),
  ])
  func `a key needs an odd modulus of 512 to 1984 bits and the exponent 3 or 65537`(
    _ bits: Int, _ last: UInt8, _ exponent: String, _ isPossible: Bool
  ) throws {
    var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
    if bits > 0 {
      modulus[0] = 0xFF >> UInt8(modulus.count * 8 - bits)
      modulus[modulus.count - 1] = last
    }
    #expect((RSAPublicKey(modulus: modulus, exponent: try [UInt8](hex: exponent)) != nil) == isPossible)
  }

  @Test func `a modulus with a leading zero byte is refused`() {
    #expect(RSAPublicKey(modulus: [0] + [UInt8](repeating: 0xFF, count: 128), exponent: [3]) == nil)
  }
}
