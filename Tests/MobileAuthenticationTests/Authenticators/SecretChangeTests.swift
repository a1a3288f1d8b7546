import DeviceAuthentication
import Octets
import Testing

@testable import MobileAuthentication

@Suite struct SecretChangeTests {
  @Test func `after a change the new PIN verifies and the old one fails`() async throws {
    let stage = try await SecretStage()
    try await stage.change(Person(entries: ["123456>654321"]))
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.verify(Person(entries: ["123456"])) }
    try await stage.verify(Person(entries: ["654321"]))
  }

  @Test func `a new PIN of another form is asked again and counts nothing`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 2)
    let person = Person(entries: ["123456>12345"])
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.change(person) }
    #expect(person.refusals == [nil, .invalidFormat])
    #expect(
      person.contexts.map(\.protectionStatus)
        == [ProtectionStatus](repeating: .lastAttemptFailed(remainingRetries: 3, coolDown: .zero), count: 2))
    #expect(EntryRefusal.invalidFormat.code(for: .pin) == "InvalidPinFormat")
  }

  @Test func `a wrong old PIN is asked again and counts one`() async throws {
    let stage = try await SecretStage()
    let person = Person(entries: ["000000>654321"])
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.change(person) }
    #expect(person.refusals == [nil, .incorrect])
    #expect(EntryRefusal.incorrect.code(for: .pin) == "InvalidPin")
    #expect(try await stage.failures == 1)
  }

  @Test(arguments: [SecretKind.pin, .password])
  func `the fifth wrong old value locks and the person is not asked again`(kind: SecretKind) async throws {
    let stage = try await SecretStage(kind, registered: kind == .pin ? "123456" : "Abcdefgh1j")
    for count in 1...5 {
      stage.clock.advance(by: .seconds(180))
      let person = Person(entries: ["wrong>Bbcdefgh1j"])
      let expected: AuthenticatorError = count == 5 ? .lockedOut : .cancelled
      await #expect(throws: expected) { try await stage.change(person) }
      #expect(person.contexts.count == (count == 5 ? 1 : 2))
    }
    #expect(stage.device.keyCount == 0)
  }

  @Test func `both values are ignored in a cool-down`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    let person = Person(entries: ["123456>654321"])
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.change(person) }
    #expect(person.refusals == [nil, .incorrect])
    #expect(try await stage.failures == 3)
  }

  @Test(arguments: [SecretKind.pin, .password])
  func `a new value that is the old one is refused without the policy`(kind: SecretKind) async throws {
    let secret = kind == .pin ? "123456" : "Abcdefgh1j"
    let stage = try await SecretStage(kind, registered: secret)
    try await stage.fail(times: 1)
    let policy = CountingPolicy()
    let person = Person(
      entries: ["\(secret)>\(secret)"], pinPolicy: PinPolicy(custom: policy), passwordPolicy: policy)
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.change(person) }
    #expect(person.refusals == [nil, .newEqualsOld])
    #expect(policy.changeCount == 0)
    #expect(try await stage.failures == 1)
    #expect(
      EntryRefusal.newEqualsOld.code(for: kind)
        == (kind == .pin ? "OldPinEqualsNewPin" : "OldPasswordEqualsNewPassword"))
  }

  @Test func `the policy is not asked while the old password is wrong`() async throws {
    let stage = try await SecretStage(.password, registered: "Abcdefgh1j")
    let policy = CountingPolicy()
    let person = Person(entries: ["wrong>Bbcdefgh1j", "Abcdefgh1j>Bbcdefgh1j"], passwordPolicy: policy)
    try await stage.change(person)
    #expect(policy.changeCount == 1)
    #expect(policy.enrolmentCount == 0)
  }

  @Test func `a policy that refuses keeps the old password`() async throws {
    let stage = try await SecretStage(.password, registered: "Abcdefgh1j")
    let policy = CountingPolicy(refusing: "Bbcdefgh1j")
    let person = Person(entries: ["Abcdefgh1j>Bbcdefgh1j"], passwordPolicy: policy)
    await #expect(throws: AuthenticatorError.cancelled) { try await stage.change(person) }
    #expect(person.refusals == [nil, .customValidation("too simple")])
    try await stage.verify(Person(entries: ["Abcdefgh1j"]))
  }

  @Test func `a custom PIN policy is asked once at a change`() async throws {
    let stage = try await SecretStage()
    let policy = CountingPolicy()
    try await stage.change(Person(entries: ["123456>1", "123456>654321"], pinPolicy: PinPolicy(custom: policy)))
    #expect(policy.changeCount == 1)
    #expect(policy.enrolmentCount == 0)
  }

  @Test func `a user without a PIN has none to change`() async throws {
    let stage = try await SecretStage(registered: nil)
    let person = Person(entries: ["123456>654321"])
    await #expect(throws: AuthenticatorError.notEnrolled) { try await stage.change(person) }
    #expect(person.contexts.isEmpty)
  }

  @Test(arguments: [SecretKind.pin, .password])
  func `a change ends with a code of its own when it is locked, not possible or cancelled`(kind: SecretKind) {
    let name = kind == .pin ? "Pin" : "Password"
    let codes = [AuthenticatorError.lockedOut, .notEnrolled, .cancelled].map { OperationError($0, changing: kind).code }
    #expect(codes == ["\(name)Locked", "\(name)NotEnrolled", "UserCanceled"])
  }

  @Test func `a change takes the count of wrong entries back`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 2)
    try await stage.change(Person(entries: ["123456>654321"]))
    #expect(try await stage.status == .unlocked)
  }
}
