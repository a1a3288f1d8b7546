import Ciphers
import Octets
import Testing

@Suite("HMAC with SHA-256") struct HMACTests {
  /// Test cases 1, 2 and 6 of RFC 4231: key, data, authentication code.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
      "B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843"
    ),
    (
      [UInt8](repeating: 0xAA, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60E431591EE0B67F0D8A26AACBF5B77F8E0BC6213728C5140546040F0EE37F54"
    ),
  ]) func `the code is that of RFC 4231`(_ key: [UInt8], _ data: [UInt8], _ code: String) {
    #expect(HMACSHA256.code(of: data, key: Secret(copying: key)).hex == code)
  }
}
