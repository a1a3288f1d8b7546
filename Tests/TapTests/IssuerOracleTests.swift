import EMVCryptography
import EMVData
import EMVIssuer
import Fixtures
import ISO7816
import JSON
import Octets
import TestSupport
import Testing

extension OracleTests {
  /// The version, and its rules in the words of the checker: derivation, response, key of scripts.
  private static let versions: [(CryptogramVersion, String, String, String)] = [
    (.visa10, "A", "master key, code", "Visa"), (.visa18, "B", "session key, update", "Visa"),
    (.visa22, "B", "session key, update", "common"), (.mastercard16, "A", "master key, code", "common"),
    (.mastercard17, "A", "master key, code", "common"), (.mastercard20, "A", "session key, code", "common"),
    (.mastercard21, "A", "session key, code", "common"),
  ]

  private static let cryptogram: UInt64 = 0x7A78_8EA6_B8A3_E733

  /// The response of the test issuer to one cryptogram, for the checker.
  private static func answer(
    _ version: CryptogramVersion, _ rules: (String, String, String)
  ) throws -> JSONValue {
    let number = try #require(PrimaryAccountNumber(digits: "4761739001010119"))
    let account = IssuerAccount(accountNumber: number, sequenceNumber: 0, cryptogramVersion: version)
    let issuer = TestIssuer()
    issuer.enrol(account)
    issuer.order(
      ScriptOrder(.afterSecondCryptogram, identifier: 2, [.putData(0x9F14, [3]), .unblockApplication]),
      accountNumber: number, sequenceNumber: 0)
    issuer.order(
      ScriptOrder(
        .beforeSecondCryptogram, identifier: 1,
        [.blockApplication, .putData(0xC1, Array(repeating: 9, count: 13)), .blockCard]),
      accountNumber: number, sequenceNumber: 0)
    let data: [ISO7816.Tag: [UInt8]] = [0x9F26: cryptogram.bigEndianOctets, 0x9F36: [0x00, 0x1C]]
    let scripts = issuer.takeScripts(accountNumber: number, sequenceNumber: 0) { data[$0] }
    let response: IssuerResponse =
      rules.1.hasSuffix("code") ? .code(0x3030) : .cardStatusUpdate(0x0080_0000, proprietaryData: [])
    let authentication = version.issuerAuthenticationData(
      for: cryptogram, response, masterKey: issuer.cardMasterKey(of: account), atc: 0x1C, unpredictableNumber: 0)
    return [
      "version": JSONValue("\(version)"), "derivation": JSONValue(rules.0), "response": JSONValue(rules.1),
      "scriptKey": JSONValue(rules.2), "number": "4761739001010119",
      "cryptogram": JSONValue(cryptogram.bigEndianOctets.hex), "counter": "001C",
      "authenticationData": JSONValue(try #require(authentication).hex), "scripts": JSONValue(scripts.hex),
      "commands": 5,
    ]
  }

  @Test func `pyemv makes the issuer's response and the chained MACs of its scripts`() throws {
    let scratch = try Scratch()
    let cases = try Self.versions.map { try Self.answer($0.0, ($0.1, $0.2, $0.3)) }
    let file = try scratch.write("answers.json", JSONValue(cases).compact)
    let check = try ProgramRun("sh", ["-c", "\(python()) \(Self.script("check_issuer.py")) < \(file)"])
    #expect(try check.finish() == .exited(0), "\(check.errors)")
    // One changed digit of tag 91, and one of the last MAC, must be found.
    for key in ["authenticationData", "scripts"] {
      let text = try #require(cases[0][key]?.text)
      let changed = String(text.dropLast()) + (text.hasSuffix("0") ? "1" : "0")
      let wrong = try scratch.write(
        "wrong-\(key).json", JSONValue([cases[0].setting(key, to: JSONValue(changed))]).compact)
      let control = try ProgramRun("sh", ["-c", "\(python()) \(Self.script("check_issuer.py")) < \(wrong)"])
      #expect(try control.finish() == .exited(1), "\(key)")
    }
  }
}
