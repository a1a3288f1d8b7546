import Ciphers
import EMVCryptography
import EMVData
import ISO7816
import Octets
import Testing

@Suite("Application cryptograms")
struct CryptogramTests {
  @Test(arguments: PyEMVVectors.results("generate_ac"))
  func `a cryptogram equals that of a payment HSM`(_ vector: SessionAnswer) throws {
    let version = try vector.version()
    let (atc, random) = try vector.transaction()
    var data: [UInt8] = []
    for tag in version.elements { data += try vector.answer.octets("tag_\(tag.description.lowercased())") }
    switch version.issuerData {
    case .whole: data += try vector.answer.octets("tag_9f10")
    case .cardVerificationResults: data += try vector.answer.octets("cvr")
    case .cardVerificationResultsAndCounters: data += try vector.answer.octets("cvr") + vector.answer.octets("counters")
    case .fifthOctet: Issue.record("no vector has this part")
    }
    let keys = try PyEMVVectors.cardKeys(version)
    let key = version.cryptogramKey(masterKey: keys.cryptogram, atc: atc, unpredictableNumber: random)
    #expect(version.cryptogram(over: data, key: key).hex == vector.answer.out)
    #expect(version.cryptogram(over: data, TripleDESKeys(key)).hex == vector.answer.out)
    if !version.needsUnpredictableNumber {
      let early = version.cryptogramKey(masterKey: keys.cryptogram, atc: atc)
      #expect(exposedHex(early) == exposedHex(key))
    }
  }

  @Test(arguments: AESVectors.all)
  func `CCD cryptogram version 6 equals the values of two other AES libraries`(_ vector: AESVectors) throws {
    let version = CryptogramVersion.commonCore6
    let number = try #require(PrimaryAccountNumber(digits: vector.pan))
    let sequence = try octets(vector.psn)[0]
    let issuer = try secret(vector.imk)
    let counter = try #require(UInt16(vector.atc, radix: 16))
    let data = try octets(vector.ac_input)
    let master = deriveICCMasterKey(
      from: issuer, version.derivation, accountNumber: number, sequenceNumber: sequence)
    let key = version.cryptogramKey(masterKey: master, atc: counter)
    #expect(version.cryptogram(over: data, key: key).hex == vector.ac)
    // The issuer data in it have the format of the version.
    let issuerData = Array(data.suffix(CommonCoreIssuerApplicationData.count))
    #expect(CryptogramVersion.named(by: issuerData, of: .commonCore) == version)
    #expect(version.coveredIssuerData(of: issuerData) == issuerData)
  }

  @Test func `CCD cryptogram version 5 equals Visa CVN 18`() throws {
    let master = try secret(SessionKeyTests.master)
    let visa = CryptogramVersion.visa18.cryptogramKey(masterKey: master, atc: 7)
    let common = CryptogramVersion.commonCore5.cryptogramKey(masterKey: master, atc: 7)
    let ours = CryptogramVersion.commonCore5.cryptogram(over: [1, 2, 3], key: common)
    #expect(CryptogramVersion.visa18.cryptogram(over: [1, 2, 3], key: visa) == ours)
  }

  @Test func `Visa CVN 17 covers amount, unpredictable number, counter and one byte with the master key`()
    throws
  {
    let version = CryptogramVersion.visa17
    #expect(version.elements.map(\.description) == ["9F02", "9F37", "9F36"])
    let issuerData = try octets("06011103A0B800")
    #expect(version.coveredIssuerData(of: issuerData) == [0xA0])
    let data = try octets("00000000400052BF4585001CA0")
    let master = try secret("154F349D8585CB7F6B0798E9839B10C1")
    let key = version.cryptogramKey(masterKey: master, atc: 0x001C)
    #expect(version.cryptogram(over: data, key: key) == retailMAC([data], master, .zeros))
  }

  @Test(arguments: CryptogramVersion.all)
  func `an unpredictable number changes the key of those versions that use it`(_ version: CryptogramVersion) throws {
    let master = try secret(SessionKeyTests.master)
    let one = version.cryptogramKey(masterKey: master, atc: 1, unpredictableNumber: 1)
    let two = version.cryptogramKey(masterKey: master, atc: 1, unpredictableNumber: 2)
    let differ = exposedHex(one) != exposedHex(two)
    #expect(differ == version.needsUnpredictableNumber)
    let next = version.cryptogramKey(masterKey: master, atc: 2, unpredictableNumber: 1)
    let countsTransactions = exposedHex(one) != exposedHex(next)
    #expect(countsTransactions == (version.sessionKey != .masterKey))
  }

  @Test(arguments: CryptogramVersion.all)
  func `the rule for a key in a block gives the key of the version`(_ version: CryptogramVersion) throws {
    guard version.cipher == .tripleDES else { return }
    let master = try secret(SessionKeyTests.master)
    let key = version.cryptogramKey(masterKey: master, atc: 9, unpredictableNumber: 0x0102_0304)
    var ring = TripleDESKeys(master)
    if let diversifier = version.sessionKey.diversifier(atc: 9, unpredictableNumber: 0x0102_0304) {
      ring.replaceKey(at: 0, withSessionKeyFrom: 0, diversifier: diversifier)
    }
    let block = ring.encipher(3)
    #expect(TripleDESKeys(key).encipher(3) == block)
  }

  @Test func `a key that waits for the terminal, and triple DES for an AES version, are our own faults and trap`() async
  {
    await #expect(processExitsWith: .failure) {
      let master = Secret(copying: [UInt8](repeating: 1, count: 16))
      _ = CryptogramVersion.mastercard16.cryptogramKey(masterKey: master, atc: 1)
    }
    await #expect(processExitsWith: .failure) {
      let keys = TripleDESKeys(Secret(copying: [UInt8](repeating: 1, count: 16)))
      _ = CryptogramVersion.commonCore6.cryptogram(over: [1], keys)
    }
  }
}
