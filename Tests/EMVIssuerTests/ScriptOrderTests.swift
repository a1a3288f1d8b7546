import EMVCryptography
import EMVData
import EMVIssuer
import ISO7816
import Octets
import Testing

@Suite("Scripts of the test issuer") struct ScriptOrderTests {
  let issuer = TestIssuer()
  let number: PrimaryAccountNumber

  init() throws {
    number = try #require(PrimaryAccountNumber(digits: "1234567890123456"))
    issuer.enrol(IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .mastercard20))
  }

  private func take(_ number: PrimaryAccountNumber) throws -> [TLVNode] {
    let data: [ISO7816.Tag: [UInt8]] = [0x9F26: [1, 2, 3, 4, 5, 6, 7, 8], 0x9F36: [0, 9]]
    return try [TLVNode](
      parsing: issuer.takeScripts(accountNumber: number, sequenceNumber: 0) { data[$0] }.span)
  }

  @Test func `an order goes out once, template 71 first, with its identifier`() throws {
    issuer.order(ScriptOrder(.afterSecondCryptogram, [.unblockApplication]), accountNumber: number, sequenceNumber: 0)
    issuer.order(
      ScriptOrder(.beforeSecondCryptogram, identifier: 7, [.blockApplication, .putData(0x9F14, [3])]),
      accountNumber: number, sequenceNumber: 0)
    let scripts = try take(number)
    #expect(scripts.map(\.tag) == [0x71, 0x72])
    #expect(scripts[0].children.map(\.tag) == [0x9F18, 0x86, 0x86])
    #expect(scripts[0].children[0].value == [0, 0, 0, 7])
    #expect(scripts[0].children[1].value.hex.hasPrefix("8C1E00000A8E08"))
    #expect(scripts[0].children[2].value.hex.hasPrefix("8CDA9F140D8101038E08"))
    #expect(try take(number).isEmpty)
  }

  @Test func `the MAC of a command depends on the commands before it`() throws {
    func mac(after first: ScriptCommand) throws -> [UInt8] {
      issuer.order(
        ScriptOrder(.afterSecondCryptogram, [first, .unblockApplication]), accountNumber: number, sequenceNumber: 0)
      return try #require(try take(number).first?.children.last?.value)
    }
    #expect(try mac(after: .blockApplication) != mac(after: .blockCard))
    #expect(try mac(after: .blockCard) == mac(after: .blockCard))
  }

  @Test func `a card without scripts and an unknown card get none`() throws {
    let other = try #require(PrimaryAccountNumber(digits: "4761739001010119"))
    issuer.order(ScriptOrder(.afterSecondCryptogram, [.blockCard]), accountNumber: other, sequenceNumber: 0)
    #expect(try take(other).isEmpty)
    issuer.enrol(IssuerAccount(accountNumber: other, sequenceNumber: 0, cryptogramVersion: .commonCore5))
    #expect(try take(other).isEmpty)
  }

  @Test func `the script key of a card is not its key for cryptograms`() {
    let account = IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: .mastercard20)
    let script = issuer.cardScriptKey(of: account)
    let cryptogram = issuer.cardMasterKey(of: account)
    #expect(script.withExposedOctets { a in cryptogram.withExposedOctets { b in a.array != b.array } })
  }
}
