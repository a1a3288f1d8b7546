import Documents
import JSON
import Testing

@testable import FIDOUAF

@Suite("Policies")
struct PolicyTests {
  static let pin = AuthenticatorDescription(
    aaid: AAID.valid("F1D0#1001"), userVerification: .passcode, keyProtection: .hardware, matcherProtection: .software)
  static let finger = AuthenticatorDescription(
    aaid: AAID.valid("F1D0#1002"), version: 2, userVerification: .fingerprint, keyProtection: .hardware,
    matcherProtection: .trustedExecutionEnvironment)
  static let password = AuthenticatorDescription(
    aaid: AAID.valid("F1D0#1005"), userVerification: [.passcode, .presence], keyProtection: .software,
    matcherProtection: .software)

  static let criteria: [(json: JSONValue, matches: [String])] = [
    ([:], ["1001", "1002", "1005"]), (["aaid": ["f1d0#1001"]], ["1001"]), (["aaid": []], []),
    (["aaid": ["F1D0#1001", "F1D0#1005"]], ["1001", "1005"]), (["vendorID": ["f1d0"]], ["1001", "1002", "1005"]),
    (["vendorID": ["ABCD"]], []), (["keyIDs": [Vectors.keyID.json]], ["1001"]),
    (["userVerification": 4], ["1001", "1005"]),
    (["userVerification": 6], ["1001", "1002", "1005"]), (["userVerification": 0x406], []),
    (["userVerification": 0], []), (["keyProtection": 1], ["1005"]), (["keyProtection": 3], ["1001", "1002", "1005"]),
    (["matcherProtection": 2], ["1002"]), (["attachmentHint": 2], []), (["tcDisplay": 2], ["1001", "1002", "1005"]),
    (["authenticationAlgorithms": [1]], []), (["authenticationAlgorithms": [1, 2]], ["1001", "1002", "1005"]),
    (["assertionSchemes": ["UAFV1TLV"]], ["1001", "1002", "1005"]), (["assertionSchemes": ["X"]], []),
    (["attestationTypes": [0x3E07]], []), (["attestationTypes": [0x3E08]], ["1001", "1002", "1005"]),
    (["authenticatorVersion": 2], ["1002"]), (["authenticatorVersion": 3], []),
    (["exts": [["id": "x", "data": "", "fail_if_unknown": false]]], ["1001", "1002", "1005"]),
    (["exts": [["id": "x", "data": "", "fail_if_unknown": true]]], []),
  ]

  static let candidates = [
    PolicyCandidate(pin, keyIDs: [Vectors.keyID]), PolicyCandidate(finger), PolicyCandidate(password),
  ]

  @Test func `a criterion is written without the members that it does not have`() {
    #expect(MatchCriteria(aaid: AAID.valid("F1D0#1001")).json.members?.map(\.key) == ["aaid"])
  }

  @Test(arguments: criteria.indices)
  func `a criterion matches when all its fields match`(row: Int) throws {
    let criterion = try MatchCriteria(Self.criteria[row].json, at: "$")
    let matching = Self.candidates.filter { criterion.matches($0) }
    #expect(matching.map { String($0.authenticator.aaid.description.suffix(4)) } == Self.criteria[row].matches)
  }

  @Test func `all methods together match only the same set`() {
    let both: UserVerification = [.fingerprint, .passcode, .all]
    #expect(both.meets(both))
    #expect(!both.meets([.fingerprint, .passcode]))
    #expect(!UserVerification.fingerprint.meets(both))
  }

  static func names(_ policy: Policy) -> [[[String]]] {
    policy.alternatives(among: candidates).map { alternative in
      alternative.map { $0.map { String($0.authenticator.aaid.description.suffix(4)) } }
    }
  }

  @Test func `alternatives keep the order of the server and leave out what cannot be satisfied`() throws {
    let pin = MatchCriteria(aaid: AAID.valid("F1D0#1001"))
    let finger = MatchCriteria(aaid: AAID.valid("F1D0#1002"))
    let face = MatchCriteria(aaid: AAID.valid("F1D0#1003"))
    #expect(Self.names(Policy(accepted: [[face], [finger], [pin]])) == [[["1002"]], [["1001"]]])
    #expect(Self.names(Policy(accepted: [[finger, pin]])) == [[["1002"], ["1001"]]])
    #expect(Self.names(Policy(accepted: [[finger, face]])) == [])
    #expect(Self.names(Policy(accepted: [[finger], [pin]], disallowed: [finger])) == [[["1001"]]])
  }

  @Test func `two criteria of one alternative need two authenticators`() throws {
    let pin = MatchCriteria(aaid: AAID.valid("F1D0#1001"))
    #expect(Self.names(Policy(accepted: [[pin, pin]])) == [])
    let passcode = try MatchCriteria(["userVerification": 4], at: "$")
    #expect(Self.names(Policy(accepted: [[passcode, passcode]])).count == 1)
    #expect(Self.names(Policy(accepted: [[passcode, passcode, passcode]])) == [])
    let many = [MatchCriteria](repeating: MatchCriteria(), count: 1_000)
    #expect(Self.names(Policy(accepted: [many])) == [])
  }

  @Test func `a registered key is disallowed by its model together with its identifier`() {
    let registered = MatchCriteria(aaid: AAID.valid("F1D0#1001"), keyIDs: [Vectors.keyID])
    #expect(registered.matches(Self.candidates[0]))
    #expect(!registered.matches(PolicyCandidate(Self.pin)))
  }
}
