import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("MACs and enciphering")
struct MACTests {
  /// The vector with two double-length keys as halves is not an EMV key.
  static let applicable = PyEMVVectors.list("mac.mac_iso9797_3").filter { (try? $0.text("key1").count) == 16 }

  @Test func `all vectors but one have a double-length key`() {
    #expect(Self.applicable.count == 33)
  }

  @Test(arguments: applicable)
  func `the retail MAC agrees for every message and padding`(_ vector: KnownAnswer) throws {
    let key = try secret(vector.text("key1") + vector.text("key2"))
    let message = try vector.octets("data")
    let padding: RetailMAC.Padding = try vector.text("padding") == "1" ? .zeros : .mandatory
    let length = try vector.optionalText("length").map { try #require(Int($0)) } ?? 8
    #expect(retailMAC([message], key, padding).hex.prefix(length * 2) == vector.out)
  }

  @Test(arguments: PyEMVVectors.list("ac.generate_ac"))
  func `an application cryptogram over any data is a payment HSM's`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("sk_ac")
    let data = try vector.octets("data")
    let padding: RetailMAC.Padding = try vector.optionalText("padding_type") == "VISA" ? .zeros : .mandatory
    #expect(retailMAC([data], key, padding).hex == vector.out)
  }

  @Test(arguments: [1, 3, 7, 8, 9, 20])
  func `the retail MAC is the same however the message is cut`(_ size: Int) throws {
    let key = try secret(SessionKeyTests.master)
    let message = (0..<61).map { UInt8($0) }
    let whole = retailMAC([message], key, .mandatory)
    #expect(retailMAC(cut(message, size), key, .mandatory) == whole)
  }

  @Test(arguments: [0, 8, 39, 40])
  func `the retail MAC of padded blocks is that of the message`(_ count: Int) async throws {
    let key = try secret(SessionKeyTests.master)
    let message = (0..<count).map { UInt8($0) }
    var padded = message + [0x80]
    while !padded.count.isMultiple(of: 8) { padded.append(0) }
    let keys = TripleDESKeys(key)
    let mac = RetailMAC.value(ofBlocks: padded.span, keys)
    #expect(mac == retailMAC([message], key, .mandatory))
    await #expect(processExitsWith: .failure) {
      let keys = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16)))
      _ = RetailMAC.value(ofBlocks: [UInt8](repeating: 0, count: 9).span, keys)
    }
  }

  @Test(arguments: [1, 3, 15, 16, 17, 32])
  func `CMAC is the same for all divisions of the message`(_ size: Int) throws {
    let message = (0..<61).map { UInt8($0) }
    #expect(try cmac(cut(message, size), SessionKeyTests.master) == cmac([message], SessionKeyTests.master))
  }

  /// NIST SP 800-38B, D.1, and RFC 4493, section 4: AES-128, messages of 0, 16, 40 and 64 bytes.
  static let published: [(count: Int, mac: String)] = [
    (0, "BB1D6929E9593728"), (16, "070A16B46B4D4144"), (40, "DFA66747DE9AE630"), (64, "51F0BEBF7E3B9D92"),
  ]

  @Test(arguments: published)
  func `CMAC agrees with the values of RFC 4493`(_ count: Int, _ mac: String) throws {
    let message = try octets(
      "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411E5FBC1191A0A52EF"
        + "F69F2445DF4F9B17AD2B417BE66C3710")
    #expect(try cmac([Array(message.prefix(count))], "2B7E151628AED2A6ABF7158809CF4F3C") == mac)
  }

  @Test func `AES enciphers a block as FIPS 197 shows`() throws {
    let key = try secret("000102030405060708090A0B0C0D0E0F")
    let block = AESKeys(key).encipher(0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF)
    #expect(block.hex == "69C4E0D86A7B0430D8CDB78070B4C55A")
  }

  @Test func `a ring keeps its triple-DES keys apart`() throws {
    let keys = try [SessionKeyTests.master, "FEDCBA98765432100123456789ABCDEF"].map(octets)
    let ring = TripleDESKeys(count: 2) { Secret(copying: keys[$0]) }
    let blocks = [ring.encipher(1, with: 0), ring.encipher(1, with: 1)]
    #expect(blocks == keys.map { TripleDESKeys(Secret(copying: $0)).encipher(1) })
    #expect(blocks[0] != blocks[1])
  }

  @Test func `a key of another length, no key and an index outside of the ring are our own faults and trap`() async {
    await #expect(processExitsWith: .failure) { _ = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 15))) }
    await #expect(processExitsWith: .failure) { _ = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 24))) }
    await #expect(processExitsWith: .failure) { _ = AESKeys(Secret(copying: [UInt8](repeating: 1, count: 15))) }
    await #expect(processExitsWith: .failure) { _ = AESKeys(Secret(copying: [UInt8](repeating: 1, count: 32))) }
    await #expect(processExitsWith: .failure) {
      _ = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16))).encipher(0, with: 1)
    }
    await #expect(processExitsWith: .failure) {
      _ = AESKeys(Secret(copying: [UInt8](repeating: 1, count: 16))).encipher(0, with: -1)
    }
    await #expect(processExitsWith: .failure) {
      var ring = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16)))
      ring.replaceKey(at: 1, withSessionKeyFrom: 0, diversifier: 0)
    }
    await #expect(processExitsWith: .failure) {
      _ = TripleDESKeys(count: 0) { _ in Secret(copying: [UInt8](repeating: 1, count: 16)) }
    }
  }

  private func cut(_ message: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: message.count, by: size).map { Array(message[$0..<min($0 + size, message.count)]) }
  }

  private func cmac(_ parts: [[UInt8]], _ hex: String) throws -> String {
    let key = try secret(hex)
    let keys = AESKeys(key)
    var mac = CMAC()
    for part in parts { mac.absorb(part.span, keys) }
    return mac.finish(keys).hex
  }
}
