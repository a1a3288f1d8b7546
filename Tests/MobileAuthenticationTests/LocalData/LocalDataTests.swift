import DeviceAuthentication
import FIDOUAF
import Foundation
import JSON
import Octets
import TestSupport
import Testing

@testable import MobileAuthentication

@Suite struct LocalDataTests {
  static let server = "https://example.org"

  let scratch: Scratch
  let store: FileLocalData
  let device = SimulatedDevice(signing: ToySigning())

  init() throws {
    scratch = try Scratch()
    store = FileLocalData(directory: scratch.path("state"))
    device.setPasscode("1234")
  }

  private func text() throws -> String { try String(contentsOfFile: store.path, encoding: .utf8) }

  /// Two users: alice has a PIN and a finger and bob has a PIN.
  private func fill() async throws {
    let keys = device.ports.keys
    let sealing = try await keys.create(.sealing)
    let signing = try await keys.create(.signing)
    var registrations: [RegistrationRecord] = []
    for (index, (user, aaid)) in [("alice", "F1D0#1001"), ("alice", "F1D0#1002"), ("bob", "F1D0#1001")].enumerated() {
      let key = ProtectedKeyRecord(identifier: try await keys.create(.signing), enrolmentDigest: [1, 2])
      let isPin = aaid.hasSuffix("1001")
      let mark = TimeMark(
        wall: WallTime(seconds: 5, milliseconds: 7), sinceBoot: Instant(nanoseconds: 9), boot: "one")
      let protection = SecretProtection(
        kind: .pin,
        verifier: SealedSecret(sealingKey: try await keys.create(.sealing), box: [UInt8](repeating: 3, count: 78)),
        attempts: index == 0 ? AttemptRecord(failures: 3, lastFailure: mark) : AttemptRecord())
      registrations.append(
        RegistrationRecord(
          account: Account(username: user, server: "https://example.org"), aaid: try #require(AAID(aaid)),
          keyID: try #require(KeyID([UInt8](repeating: UInt8(index), count: 32))), appID: "https://example.org/app",
          key: key, state: .registered, isInvalidatedByNewBiometrics: !isPin, protection: isPin ? protection : nil))
      if !isPin { try await keys.delete(protection.verifier.sealingKey) }
    }
    let made = registrations
    try await store.change { records in
      records.firstRegistrationVersion = "1.0"
      records.identities = [
        DeviceRecord(
          server: Self.server, information: DeviceInformation(name: "Phone", deviceId: "abc", pushToken: "push"),
          signatureKey: signing,
          encryptionKey: SealedSecret(sealingKey: sealing, box: [UInt8](repeating: 4, count: 60)))
      ]
      records.accounts = [
        AccountRecord(account: made[0].account, dispatchTarget: "t1"), AccountRecord(account: made[2].account),
      ]
      records.accounts[0].acceptedAuthenticators = [made[0].aaid]
      records.registrations = made
    }
  }

  @Test func `registrations are held back only while none goes on`() async throws {
    let other = FileLocalData(directory: scratch.path("state"))
    var registration: (any RegistrationMark)? = try await store.beginRegistration()
    #expect(registration != nil)
    #expect(try await other.holdRegistrations() == nil)
    registration = nil
    var held = try await other.holdRegistrations()
    #expect(held != nil)
    #expect(try await store.holdRegistrations() == nil)
    // One that begins meanwhile waits.
    let next = Task { try await store.beginRegistration() }
    held = nil
    _ = try await next.value
  }

  @Test func `records are the same after a restart`() async throws {
    try await fill()
    let written = try await store.read()
    #expect(written.accounts.map(\.acceptedAuthenticators) == [[written.registrations[0].aaid], nil])
    let again = try await FileLocalData(directory: scratch.path("state")).read()
    #expect(again == written)
    #expect(again.registrations.count == 3)
    #expect(again.registrations[0].protection?.attempts.failures == 3)
    #expect(again.identities.first?.information.pushToken == "push")
  }

  @Test func `the file and its directory belong to their owner only`() async throws {
    try await fill()
    for (path, mode) in [(store.path, 0o600), (scratch.path("state"), 0o700)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect((attributes[.posixPermissions] as? Int) == mode)
    }
  }

  @Test func `the one identity of a file of version 5 is that at each of its servers until its last one is left`()
    async throws
  {
    try await fill()
    var json = try JSONValue(parsing: Array(text().utf8)).setting("version", to: 5)
    let identity = try #require(json["identities"]?.list?.first).setting("server", to: nil)
    json = json.setting("identities", to: nil).setting("device", to: identity)
      .setting("wallets", to: [["server": "https://issuer.example", "userName": "alice"]])
    try json.compact.write(toFile: store.path, atomically: true, encoding: .utf8)

    let records = try await store.read()
    #expect(records.identities.map(\.server) == [Self.server, "https://issuer.example"])
    #expect(records.identities.allSatisfy { $0.isShared && $0.information.deviceId == "abc" })
    try await store.change { $0.firstRegistrationVersion = "2.0" }
    #expect(try await store.read().identities == records.identities)
    let signer = DeviceSigner(store: store, keys: device.ports.keys)
    #expect(try await signer.record(forWalletAt: "https://new.example").information.deviceId != "abc")

    #expect(device.keyCount == 9)
    let data = LocalData(store: store, device: AuthenticationDevice(ports: device.ports, protection: .simulated))
    try await data.deleteAuthenticator()
    #expect(device.keyCount == 4)
    try await store.change { records in records.wallets.removeAll { $0.server == "https://issuer.example" } }
    try await data.deleteAuthenticator()
    #expect(try await store.read().identities.map(\.server) == ["https://new.example"])
    #expect(device.keyCount == 2)
  }

  @Test func `every folder of a device has its identity at a server, and another one at each server`() async throws {
    let signers = ["one", "two"].map { folder in
      DeviceSigner(store: FileLocalData(directory: scratch.path(folder)), keys: device.ports.keys)
    }
    var identities: [[DeviceRecord]] = []
    for signer in signers {
      var own: [DeviceRecord] = []
      for server in [Self.server, "https://issuer.example"] { own.append(try await signer.record(forWalletAt: server)) }
      identities.append(own)
    }
    #expect(identities[0] == identities[1])
    #expect(Set(identities[0].map(\.information.deviceId)).count == 2)
    #expect(device.keyCount == 4)

    device.disableLockScreen()
    device.setPasscode("1234")
    for signer in signers { #expect(try await signer.renewLostIdentity(at: Self.server)) }
    let renewed = try await signers[0].record(forWalletAt: Self.server)
    #expect(try await signers[1].record(forWalletAt: Self.server) == renewed)
    #expect(renewed.information.deviceId != identities[0][0].information.deviceId)
    let records = try await FileLocalData(directory: scratch.path("two")).read()
    #expect(records.wallet(at: Self.server)?.formerDeviceID == identities[0][0].information.deviceId)
    #expect(records.wallet(at: "https://issuer.example")?.formerDeviceID == nil)
  }

  @Test func `a device with new keys keeps its name, its registrations and the identifier that each server knows`()
    async throws
  {
    try await fill()
    try await store.change { $0.changeWallet(at: "https://issuer.example") { $0.userName = "alice" } }
    let before = try await store.read()
    let signer = DeviceSigner(store: store, keys: device.ports.keys)
    #expect(try await !signer.renewLostIdentity(at: Self.server))
    var identifiers = ["abc"]
    for _ in 0..<2 {
      device.disableLockScreen()
      device.setPasscode("1234")
      #expect(try await signer.renewLostIdentity(at: Self.server))
      let records = try await store.read()
      #expect(records.registrations == before.registrations)
      let device = try #require(records.device(at: Self.server))
      #expect(device.information.name == "Phone" && device.information.pushToken == "push")
      #expect(records.accounts.map(\.formerDeviceID) == ["abc", "abc"])
      #expect(records.accounts.allSatisfy { $0.dispatchTarget == nil })
      // The other server knows another identity.
      #expect(records.wallets.map(\.formerDeviceID) == [nil])
      identifiers.append(device.information.deviceId)
    }
    #expect(Set(identifiers).count == 3)
  }

  @Test func `a new place is empty`() async throws {
    #expect(try await store.read() == LocalRecords())
  }

  @Test func `a damaged file is an error at every cut and stays as it is`() async throws {
    try await fill()
    let whole = Array(try text().utf8)
    for count in stride(from: 0, to: whole.count - 3, by: 37) {
      let part = Data(whole.prefix(count))
      try part.write(to: URL(filePath: store.path))
      await #expect(throws: LocalDataError.self) { _ = try await store.read() }
      await #expect(throws: LocalDataError.self) { try await store.change { $0.firstRegistrationVersion = "2" } }
      #expect(try Data(contentsOf: URL(filePath: store.path)) == part)
    }
  }

  static let damages: [(String, String)] = [
    ("\"version\": 6,", "\"version\": 6, \"surprise\": 1,"),
    ("\"registered\"", "\"half\""),
    ("\"F1D0#1001\"", "\"F1D0\""),
    ("\"failures\": 3", "\"failures\": 6"),
    ("\"failures\": 3", "\"failures\": 0"),
    ("\"sinceBoot\": 9", "\"sinceBoot\": -9"),
    ("\"milliseconds\": 7", "\"milliseconds\": 1000"),
    ("\"name\": \"Phone\"", "\"name\": \"\""),
    ("\"kind\": \"pin\"", "\"kind\": \"iris\""),
  ]

  @Test(arguments: damages)
  func `a wrong value is an error that names its place`(value: String, wrong: String) async throws {
    try await fill()
    let text = try text()
    let range = try #require(text.range(of: value))
    try text.replacingCharacters(in: range, with: wrong).write(toFile: store.path, atomically: true, encoding: .utf8)
    let error = await #expect(throws: LocalDataError.self) { _ = try await store.read() }
    guard case .damaged(_, let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(reason.contains("$."))
  }

  @Test func `a file of a newer version is refused and stays as it is`() async throws {
    try await fill()
    let newer = try text().replacing("\"version\": 6,", with: "\"version\": 7,")
    try newer.write(toFile: store.path, atomically: true, encoding: .utf8)
    let expected = LocalDataError.newer(path: store.path, found: 7)
    await #expect(throws: expected) { _ = try await store.read() }
    await #expect(throws: expected) { try await store.change { $0.accounts = [] } }
    #expect(try text() == newer)
  }

  @Test func `a directory that cannot be written is an error and keeps the records`() async throws {
    try await fill()
    let before = try text()
    // The draft cannot be created where a directory has its name.
    try FileManager.default.createDirectory(atPath: store.path + ".draft", withIntermediateDirectories: false)
    let error = await #expect(throws: LocalDataError.self) { try await store.change { $0.accounts = [] } }
    guard case .notWritable = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(try text() == before)
  }

  @Test func `a draft that a crash has left is replaced`() async throws {
    try await fill()
    try "half".write(toFile: store.path + ".draft", atomically: false, encoding: .utf8)
    try await store.change { $0.firstRegistrationVersion = "2.0" }
    #expect(try await store.read().firstRegistrationVersion == "2.0")
    #expect(!FileManager.default.fileExists(atPath: store.path + ".draft"))
  }

  @Test func `no change of several tasks is lost`() async throws {
    try await fill()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { [scratch] in
          let own = FileLocalData(directory: scratch.path("state"))
          try? await own.change { records in
            let account = Account(username: "user\(number)", server: "https://example.org")
            records.accounts.append(AccountRecord(account: account))
          }
        }
      }
    }
    #expect(try await store.read().accounts.count == 22)
  }

  @Test func `a change that fails keeps what it has made durable and drops the rest`() async throws {
    try await fill()
    _ = try? await store.update { (records, keep) throws(LocalDataError) in
      records.firstRegistrationVersion = "kept"
      try keep(records)
      records.firstRegistrationVersion = "dropped"
      throw LocalDataError.busy(path: "")
    }
    #expect(try await store.read().firstRegistrationVersion == "kept")
  }

  static let deletions: [(user: String?, aaid: String?, left: [String], keys: Int)] = [
    ("bob", nil, ["alice F1D0#1001", "alice F1D0#1002"], 5),
    (nil, "F1D0#1001", ["alice F1D0#1002"], 3),
    ("alice", "f1d0#1002", ["alice F1D0#1001", "bob F1D0#1001"], 6),
    ("carol", nil, ["alice F1D0#1001", "alice F1D0#1002", "bob F1D0#1001"], 7),
    // The device keeps its identity.
    (nil, nil, [], 2),
  ]

  @Test(arguments: deletions)
  func `local deletion removes records and keys of just these`(
    user: String?, aaid: String?, left: [String], keys: Int
  ) async throws {
    try await fill()
    #expect(device.keyCount == 7)
    let data = LocalData(store: store, device: AuthenticationDevice(ports: device.ports, protection: .simulated))
    try await data.deleteAuthenticator(username: user, aaid: aaid.flatMap { AAID($0) })
    #expect(try await data.registrations().map { "\($0.account.username) \($0.aaid)" } == left)
    #expect(device.keyCount == keys)
    #expect(try await data.accounts().map(\.username) == Set(left.map { String($0.prefix { $0 != " " }) }).sorted())
  }

  @Test func `the device information goes with the last authenticator`() async throws {
    try await fill()
    let data = LocalData(store: store, device: AuthenticationDevice(ports: device.ports, protection: .simulated))
    try await data.deleteAuthenticator(username: "alice")
    #expect(try await data.deviceInformation(at: Self.server)?.name == "Phone")
    try await data.deleteAuthenticator(username: "bob")
    #expect(try await data.deviceInformation(at: Self.server) == nil)
    #expect(try await store.read() == LocalRecords())
  }

  @Test func `a key store that fails loses no record`() async throws {
    try await fill()
    device.keyStoreError = .busy("the store")
    let data = LocalData(store: store, device: AuthenticationDevice(ports: device.ports, protection: .simulated))
    await #expect(throws: OperationError.self) { try await data.deleteAuthenticator() }
    device.keyStoreError = nil
    #expect(try await data.registrations().count == 3)
    try await data.deleteAuthenticator()
    #expect(device.keyCount == 2)
  }
}
