import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

@Suite("MAC and cryptogram")
struct CryptogramTests {
  @Test(
    "the retail MAC agrees for every message and padding", arguments: PyEMVVectors.all.macs.filter(\.hasDoubleLengthKey)
  )
  func retailMAC(_ vector: PyEMVVectors.MAC) throws {
    let key = try octets(vector.args.key1 + vector.args.key2)
    let message = try octets(vector.args.data)
    let value = mac(over: [message], key, vector.args.padding == 1 ? .zeros : .mandatory)
    #expect(value.hex.prefix(vector.out.count) == vector.out)
  }

  @Test("the MAC is the same however the message is cut", arguments: [1, 3, 7, 8, 9, 20])
  func pieces(_ size: Int) throws {
    let key = try octets("0123456789ABCDEFFEDCBA9876543210")
    let message = (0..<61).map { UInt8($0) }
    let parts = stride(from: 0, to: message.count, by: size).map {
      Array(message[$0..<min($0 + size, message.count)])
    }
    #expect(mac(over: parts, key, .mandatory) == mac(over: [message], key, .mandatory))
  }

  @Test("a ring keeps its keys apart")
  func ring() throws {
    let first = "0123456789ABCDEFFEDCBA9876543210"
    let second = "FEDCBA98765432100123456789ABCDEF"
    let keys = try [first, second].map(octets)
    let ring = TripleDESKeys(count: 2) { Secret(copying: keys[$0]) }
    let blocks = [ring.encipher(1, with: 0), ring.encipher(1, with: 1)]
    #expect(blocks == keys.map { TripleDESKeys(Secret(copying: $0)).encipher(1) })
    #expect(blocks[0] != blocks[1])
  }

  @Test(
    "a Visa cryptogram is the one a payment HSM makes",
    arguments: [("VisaCVN10", CryptogramVersion.visa10), ("VisaCVN18", .visa18)])
  func visa(_ name: String, _ version: CryptogramVersion) throws {
    let session = try #require(PyEMVVectors.all.cvn_sessions[name])
    for vector in session.generate_ac {
      var data: [UInt8] = []
      for tag in CryptogramVersion.dataElements {
        let value = try #require(vector.args["tag_\(tag.description.lowercased())"] ?? nil)
        data += try octets(value)
      }
      let issuerData = try #require(vector.args[version.issuerData == .whole ? "tag_9f10" : "cvr"] ?? nil)
      data += try octets(issuerData)
      let counterText = try #require(vector.args["tag_9f36"] ?? nil)
      let counter = try #require(UInt16(counterText, radix: 16))
      let master = try octets(session._icc_keys.icc_mk_ac)
      #expect(cryptogram(version, data, master, counter) == vector.out)
    }
    #expect(!session.generate_ac.isEmpty)
  }

  @Test("CVN 10 covers the CVR, CVN 18 all of 9F10")
  func coveredIssuerData() throws {
    let issuerData = try octets("06010A03A0B800")
    #expect(CryptogramVersion.visa10.coveredIssuerData(of: issuerData) == (try octets("03A0B800")))
    #expect(CryptogramVersion.visa18.coveredIssuerData(of: issuerData) == issuerData)
    #expect(CryptogramVersion.visa10.coveredIssuerData(of: [0x05, 0x01]) == nil)
  }

  @Test("versions are found by their number in 9F10", arguments: [(UInt8(0x0A), true), (0x12, true), (0x11, false)])
  func numbers(_ number: UInt8, _ isKnown: Bool) {
    #expect(CryptogramVersion.visa(number)?.number == (isKnown ? number : nil))
  }

  private func mac(over parts: [[UInt8]], _ key: [UInt8], _ padding: RetailMAC.Padding) -> UInt64 {
    let keys = TripleDESKeys(Secret(copying: key))
    var mac = RetailMAC()
    for part in parts { mac.absorb(part.span, keys) }
    return mac.finish(padding, keys)
  }

  private func cryptogram(
    _ version: CryptogramVersion, _ data: [UInt8], _ master: [UInt8], _ counter: UInt16
  ) -> String {
    let key = version.cryptogramKey(masterKey: Secret(copying: master), atc: counter)
    return version.cryptogram(over: data, TripleDESKeys(key)).hex
  }
}
