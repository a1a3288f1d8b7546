import EMVCryptography
import EMVData
import EMVIssuer
import Octets
import Testing

/// Keys of an issuer from a text.
@Suite("Issuer keys")
struct IssuerKeysTests {
  static let key = "00112233445566778899AABBCCDDEEFF"
  static let other = "FFEEDDCCBBAA99887766554433221100"

  /// The key of a card, as a sign of the issuer's.
  func cardKey(_ keys: IssuerKeys, isCVC3: Bool = false) throws -> [UInt8] {
    let account = IssuerAccount(
      accountNumber: try #require(PrimaryAccountNumber(digits: "4761739001010119")), sequenceNumber: 1,
      cryptogramVersion: .visa18)
    let issuer = TestIssuer(keys: keys)
    let key = isCVC3 ? issuer.cardCVC3Key(of: account) : issuer.cardMasterKey(of: account)
    return key.withExposedOctets { octets in octets.indices.map { octets[$0] } }
  }

  func made(_ cryptogram: String, _ cvc3: String, script: String? = nil) throws -> IssuerKeys {
    IssuerKeys(
      cryptogram: Secret(copying: try [UInt8](hex: cryptogram)), cvc3: Secret(copying: try [UInt8](hex: cvc3)),
      script: Secret(copying: try [UInt8](hex: script ?? cryptogram)))
  }

  @Test func `both keys are read, with comments and spaces; one key serves for both`() throws {
    let text = "# mine\n\n  cryptogram:\t\(Self.key.lowercased())  # 16 bytes\r\ncvc3: \(Self.other)"
    let both = try IssuerKeys(parsing: text.utf8)
    #expect(try cardKey(both) == cardKey(made(Self.key, Self.other)))
    #expect(try cardKey(both, isCVC3: true) == cardKey(made(Self.key, Self.other), isCVC3: true))
    let one = try IssuerKeys(parsing: "cryptogram: \(Self.key)\n".utf8)
    #expect(try cardKey(one, isCVC3: true) == cardKey(made(Self.key, Self.key), isCVC3: true))
    #expect(try cardKey(one) != cardKey(.publicTest))
    #expect(!"\(both)".uppercased().contains(Self.key) && !String(reflecting: both).uppercased().contains(Self.key))
  }

  static let faults: [(text: String, message: String)] = [
    ("", "line 1, column 1: there is no cryptogram key"),
    ("cvc3: \(key)", "line 1, column 1: there is no cryptogram key"),
    (key, "line 1, column 1: a line is \"cryptogram: KEY\""), ("\n  key: \(key)", "line 2, column 3: a line is"),
    ("cryptogram: \(key.dropLast())", "line 1, column 13: the key has 31 digits: a line is"),
    ("cryptogram: \(key)00", "line 1, column 13: the key has 34 digits"),
    ("cryptogram:", "line 1, column 12: the key has 0 digits"),
    ("cryptogram: 0011x", "line 1, column 17: a hexadecimal digit is needed"),
    ("cryptogram: \(key) \(key)", "line 1, column 46: the end of the line is needed"),
    ("cryptogram: \(key)\ncryptogram: \(other)", "line 2, column 1: the key \"cryptogram\" stands here twice"),
    ("cryptogram: \u{FF10}", "line 1, column 13: a hexadecimal digit is needed"),
    (String(repeating: "#", count: 4097), "line 1, column 1: the text has 4097 bytes: the limit is 4096"),
  ]

  @Test(arguments: faults.indices)
  func `a fault has line and column, the form and the size, and no part of the text`(_ row: Int) {
    let (text, message) = Self.faults[row]
    let error = #expect(throws: IssuerKeyError.self) { try IssuerKeys(parsing: text.utf8) }
    let description = error?.description ?? ""
    #expect(description.hasPrefix(message), "\(description)")
    #expect(!description.contains("0011") && !description.contains("FFEE"), "\(description)")
    if !description.contains("bytes: the limit"), !description.contains("twice") {
      #expect(description.contains("32 hexadecimal digits (16 bytes)"), "\(description)")
    }
  }

  @Test(arguments: 0..<4)
  func `no bytes can trap the reader`(_ seed: Int) {
    let random = SeededRandomSource(seed: UInt64(seed))
    let text = Array("cryptogram: \(Self.key)\ncvc3: \(Self.other)\n".utf8)
    for _ in 0..<500 {
      var octets = text
      let changes = random.octets(9)
      for index in 0..<3 {
        octets[Int(changes[index * 3]) % octets.count] = changes[index * 3 + 1]
        octets.remove(at: Int(changes[index * 3 + 2]) % octets.count)
      }
      _ = try? IssuerKeys(parsing: octets)
    }
  }
}
