import DeviceAuthentication
import Octets
import TestSupport
import Testing

@testable import MobileAuthentication

/// Local data that was restored from an older copy, or changed with an editor.
@Suite struct RestoredDataTests {
  private static func restore(_ records: LocalRecords, on stage: SecretStage) async throws {
    try await stage.store.change { $0 = records }
  }

  @Test func `an older copy gives no attempts back, and its PIN stays unusable`() async throws {
    let stage = try await SecretStage()
    let old = try await stage.store.read()
    try await stage.fail(times: 2)
    let newest = try await stage.store.read()
    try await Self.restore(old, on: stage)

    let refusal = AuthenticatorError.localData(.rolledBack(count: 0, deviceCount: 2))
    for boot in ["one", "two"] {
      let person = Person(entries: ["123456"])
      await #expect(throws: refusal) {
        try await stage.authenticator(boot: boot).verify(stage.keyID, stage.aaid, asking: person)
      }
      #expect(person.acceptedCount == 0)
    }
    await #expect(throws: refusal) { try await stage.change(Person(entries: ["123456>654321"])) }

    try await Self.restore(newest, on: stage)
    try await stage.verify(Person(entries: ["123456"]))
  }

  @Test func `a copy from before a right PIN is older too`() async throws {
    let stage = try await SecretStage(.password, registered: "Correct horse 1")
    let old = try await stage.store.read()
    try await stage.verify(Person(entries: ["Correct horse 1"]))
    try await Self.restore(old, on: stage)
    await #expect(throws: AuthenticatorError.localData(.rolledBack(count: 0, deviceCount: 1))) {
      try await stage.verify(Person(entries: ["Correct horse 1"]))
    }
  }

  @Test func `a copy from before a change does not bring the old PIN back`() async throws {
    let stage = try await SecretStage()
    let old = try await stage.store.read()
    try await stage.change(Person(entries: ["123456>654321"]))
    try await stage.verify(Person(entries: ["654321"]))
    try await Self.restore(old, on: stage)
    await #expect(throws: AuthenticatorError.localData(.rolledBack(count: 0, deviceCount: 2))) {
      try await stage.verify(Person(entries: ["123456"]))
    }
  }

  @Test func `a copy that is restored while the PIN is asked is refused`() async throws {
    let stage = try await SecretStage()
    let old = try await stage.store.read()
    try await stage.fail(times: 1)
    let person = RestoringPerson(stage.store, old)
    await #expect(throws: AuthenticatorError.localData(.rolledBack(count: 0, deviceCount: 1))) {
      try await stage.authenticator().verify(stage.keyID, stage.aaid, asking: person)
    }
  }

  @Test func `a process that ends between local data and device leaves a usable PIN`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 1)
    // The device did not receive the entry: the local data is ahead of it.
    let key = try #require(try await stage.store.read().registrations[0].protection?.verifier.sealingKey)
    let seal = AttemptSeal(try await stage.device.ports.keys.unseal(key))
    try await stage.store.change { records in
      records.registrations[0].protection?.count += 1
      if var protection = records.registrations[0].protection {
        seal.seal(&protection)
        records.registrations[0].protection = protection
      }
    }
    try await stage.verify(Person(entries: ["123456"]))
    #expect(try await stage.device.ports.keys.counter(of: key) == 3)
  }

  @Test func `wrong entries that were removed with an editor are noticed`() async throws {
    let stage = try await SecretStage()
    try await stage.fail(times: 3)
    try await stage.store.change { $0.registrations[0].protection?.attempts = AttemptRecord() }
    await #expect(throws: AuthenticatorError.localData(.attemptsChanged)) {
      try await stage.verify(Person(entries: ["123456"]))
    }
  }

  @Test(arguments: [false, true])
  func `data without a seal is accepted until the device has counted an entry`(isCounted: Bool) async throws {
    let stage = try await SecretStage()
    if isCounted { try await stage.fail(times: 1) }
    try await stage.store.change { records in
      guard let verifier = records.registrations[0].protection?.verifier else { return }
      records.registrations[0].protection = SecretProtection(kind: .pin, verifier: verifier)
    }
    if isCounted {
      await #expect(throws: AuthenticatorError.localData(.attemptsChanged)) {
        try await stage.verify(Person(entries: ["123456"]))
      }
    } else {
      try await stage.verify(Person(entries: ["123456"]))
      #expect(try await stage.store.read().registrations[0].protection?.seal?.count == 32)
    }
  }
}

/// A person who enters a secret while the local data is replaced.
private struct RestoringPerson: SecretVerifier {
  let store: FileLocalData
  let records: LocalRecords

  init(_ store: FileLocalData, _ records: LocalRecords) { (self.store, self.records) = (store, records) }

  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    let records = records
    do throws(LocalDataError) {
      try await store.change { $0 = records }
    } catch { throw InteractionCancelled() }
    return EnteredSecret("123456")
  }

  func validCredentialsProvided(_ context: SecretVerification) async {}
}
