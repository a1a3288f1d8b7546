import Ciphers
import EMVCryptography
import Octets
import Testing

@Suite("Issuer responses")
struct ResponseTests {
  @Test(arguments: PyEMVVectors.list("ac.generate_arpc_1"))
  func `method 1 is a payment HSM's`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("sk_ac")
    let cryptogram: UInt64 = try vector.integer("arqc")
    let code: UInt16 = try vector.integer("arpc_rc")
    #expect(ResponseCryptogram.method1(cryptogram, responseCode: code, TripleDESKeys(key)).hex == vector.out)
  }

  @Test(arguments: PyEMVVectors.list("ac.generate_arpc_2"))
  func `method 2 is a payment HSM's`(_ vector: KnownAnswer) throws {
    let key = try vector.secret("sk_ac")
    let cryptogram: UInt64 = try vector.integer("arqc")
    let update: UInt32 = try vector.integer("csu")
    let proprietary = try vector.optionalText("prop_auth_data").map(octets) ?? []
    let made = ResponseCryptogram.method2(
      cryptogram, cardStatusUpdate: update, proprietaryData: proprietary, TripleDESKeys(key))
    #expect(made.hex == vector.out)
  }

  @Test(arguments: AESVectors.all)
  func `both methods with AES are those of two other AES libraries`(_ vector: AESVectors) throws {
    let key = try secret(vector.sk_ac)
    let keys = AESKeys(key)
    let cryptogram = try #require(UInt64(vector.ac, radix: 16))
    let code = try #require(UInt16(vector.arc, radix: 16))
    let update = try #require(UInt32(vector.csu, radix: 16))
    #expect(ResponseCryptogram.method1(cryptogram, responseCode: code, keys).hex == vector.arpc_method1)
    let second = ResponseCryptogram.method2(cryptogram, cardStatusUpdate: update, proprietaryData: [], keys)
    #expect(second.hex == vector.arpc_method2)
  }

  @Test(arguments: PyEMVVectors.results("generate_arpc"))
  func `tag 91 is the response cryptogram and the data that it covers`(_ vector: SessionAnswer) throws {
    let version = try vector.version()
    let (atc, random) = try vector.transaction()
    let cryptogram: UInt64 = try vector.answer.integer("tag_9f26")
    let response: IssuerResponse
    let rest: String
    switch version.response?.method {
    case .responseCode:
      response = try .code(vector.answer.integer("arpc_rc"))
      rest = try vector.answer.text("arpc_rc")
    case .cardStatusUpdate:
      let proprietary = try vector.answer.optionalText("proprietary_auth_data") ?? ""
      response = try .cardStatusUpdate(vector.answer.integer("csu"), proprietaryData: octets(proprietary))
      rest = try vector.answer.text("csu") + proprietary
    case nil: throw Missing()
    }
    let keys = try PyEMVVectors.cardKeys(version)
    let made = version.issuerAuthenticationData(
      for: cryptogram, response, masterKey: keys.cryptogram, atc: atc, unpredictableNumber: random)
    #expect(made?.hex == vector.answer.out + rest)
  }

  private struct Missing: Error {}

  @Test(arguments: AESVectors.all)
  func `CCD version 6 responds with AES`(_ vector: AESVectors) throws {
    let master = try secret(vector.icc_mk_option_c)
    let counter = try #require(UInt16(vector.atc, radix: 16))
    let cryptogram = try #require(UInt64(vector.ac, radix: 16))
    let update = try #require(UInt32(vector.csu, radix: 16))
    let made = CryptogramVersion.commonCore6.issuerAuthenticationData(
      for: cryptogram, .cardStatusUpdate(update, proprietaryData: []), masterKey: master, atc: counter,
      unpredictableNumber: 0)
    #expect(made?.hex == vector.arpc_method2 + vector.csu)
  }

  @Test(arguments: CryptogramVersion.all)
  func `a version answers with its own method only`(_ version: CryptogramVersion) throws {
    let master = try secret(SessionKeyTests.master)
    let code = version.issuerAuthenticationData(
      for: 1, .code(0x3030), masterKey: master, atc: 1, unpredictableNumber: 1)
    let update = version.issuerAuthenticationData(
      for: 1, .cardStatusUpdate(0, proprietaryData: []), masterKey: master, atc: 1, unpredictableNumber: 1)
    #expect(code?.count == (version.response?.method == .responseCode ? 10 : nil))
    #expect(update?.count == (version.response?.method == .cardStatusUpdate ? 8 : nil))
    #expect((version.response == nil) == (version == .visa17))
  }

  @Test(arguments: [(0, 8), (8, 16), (9, nil)] as [(Int, Int?)])
  func `an update carries up to 8 bytes of the issuer's own`(_ count: Int, _ length: Int?) throws {
    let master = try secret(SessionKeyTests.master)
    let made = CryptogramVersion.visa18.issuerAuthenticationData(
      for: 1, .cardStatusUpdate(0, proprietaryData: [UInt8](repeating: 7, count: count)), masterKey: master, atc: 1,
      unpredictableNumber: 1)
    #expect(made?.count == length)
  }

  @Test func `more than 8 bytes given to method 2 itself are our own fault and trap`() async {
    await #expect(processExitsWith: .failure) {
      let keys = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16)))
      _ = ResponseCryptogram.method2(
        1, cardStatusUpdate: 0, proprietaryData: [UInt8](repeating: 7, count: 9), keys)
    }
  }
}
