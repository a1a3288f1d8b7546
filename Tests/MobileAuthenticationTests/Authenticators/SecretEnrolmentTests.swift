import Crypto
import DeviceAuthentication
import Foundation
import Octets
import TestSupport
import Testing

@testable import MobileAuthentication

@Suite struct SecretEnrolmentTests {
  @Test(arguments: [
    ("12345", false), ("123456", true), ("1234567", false), ("12345a", false), ("１２３４５６", false), ("", false),
  ])
  func `the default policy accepts six digits`(pin: String, isAccepted: Bool) async throws {
    let stage = try await SecretStage(registered: nil)
    let person = Person(entries: [pin])
    if isAccepted {
      _ = try await stage.authenticator().enrol(for: SecretStage.account, asking: person)
    } else {
      await #expect(throws: AuthenticatorError.cancelled) {
        try await stage.authenticator().enrol(for: SecretStage.account, asking: person)
      }
      #expect(person.refusals == [nil, .invalidFormat])
      #expect(stage.device.keyCount == 0)
    }
  }

  @Test(arguments: [("Abcdefgh1j", true), ("abcdefgh1j", false), ("Abcdefghij", false), ("Abcdefg1", false)])
  func `the standard password has ten characters, a capital and a number`(
    password: String, isAccepted: Bool
  ) async throws {
    let stage = try await SecretStage(.password, registered: nil)
    let person = Person(entries: [password])
    let result = try? await stage.authenticator().enrol(
      for: SecretStage.account, asking: person)
    #expect((result != nil) == isAccepted)
  }

  @Test func `a custom policy is asked once at enrolment, after the form`() async throws {
    let stage = try await SecretStage(registered: nil)
    let policy = CountingPolicy(refusing: "111111")
    let person = Person(entries: ["1", "111111", "123456"], pinPolicy: PinPolicy(custom: policy))
    _ = try await stage.authenticator().enrol(for: SecretStage.account, asking: person)
    #expect(policy.enrolmentCount == 2)
    #expect(policy.changeCount == 0)
    #expect(person.refusals == [nil, .invalidFormat, .customValidation("too simple")])
  }

  /// An enroller that names no policy.
  private struct PlainEnroller: SecretEnroller {
    let person: Person

    func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret {
      try await person.enrol(context)
    }
  }

  @Test func `a PIN without a policy is enrolled under the default policy`() async throws {
    let stage = try await SecretStage(registered: nil)
    let person = Person(entries: ["12345", "1234567", "123456"])
    let enroller = PlainEnroller(person: person)
    _ = try await stage.authenticator().enrol(
      for: SecretStage.account, asking: enroller)
    #expect(person.refusals == [nil, .invalidFormat, .invalidFormat])
  }

  @Test func `a password without a policy is not enrolled`() async throws {
    let stage = try await SecretStage(.password, registered: nil)
    let person = Person(entries: ["Abcdefgh1j"])
    await #expect(throws: AuthenticatorError.self) {
      try await stage.authenticator().enrol(for: SecretStage.account, asking: PlainEnroller(person: person))
    }
    #expect(person.enrolments.isEmpty && stage.device.keyCount == 0)
  }

  @Test func `a device without a lock enrols nothing`() async throws {
    let stage = try await SecretStage(registered: nil)
    stage.device.disableLockScreen()
    await #expect(throws: AuthenticatorError.noDeviceLock) {
      try await stage.authenticator().enrol(for: SecretStage.account, asking: Person(entries: ["123456"]))
    }
  }

  @Test func `no stored file contains the PIN or a plain hash of it`() async throws {
    let stage = try await SecretStage(registered: "918273")
    try await stage.fail(times: 1)
    let pin = Array("918273".utf8)
    let digest = [UInt8](SHA256.hash(data: pin))
    var forms: [[UInt8]] = [pin, pin.flatMap { [$0, 0] }, pin.flatMap { [0, $0] }, digest]
    for octets in [pin, digest] {
      forms.append(Array(octets.hex.utf8))
      forms.append(Array(octets.hex.lowercased().utf8))
      forms.append(Array(Data(octets).base64EncodedString().utf8))
      forms.append(Array(Data(octets).base64EncodedString().trimmingCharacters(in: ["="]).utf8))
    }
    let directory = stage.scratch.path("state")
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let content = try Data(contentsOf: URL(filePath: directory + "/" + name))
      for form in forms { #expect(content.range(of: Data(form)) == nil, "\(name) contains \(form.hex)") }
    }
  }

  @Test func `equal PINs are stored as different bytes`() async throws {
    let stage = try await SecretStage(registered: nil)
    var boxes: Set<[UInt8]> = []
    for _ in 0..<2 {
      let protection = try await stage.authenticator().enrol(
        for: SecretStage.account, asking: Person(entries: ["123456"]))
      boxes.insert(protection.verifier.box)
    }
    #expect(boxes.count == 2)
  }

  @Test func `a hash is that of its entry only, and changed bytes are refused`() async throws {
    let random = SeededRandomSource(seed: 1)
    let hash = SecretHash(of: EnteredSecret("123456"), random: random, cost: 4)
    #expect(hash.matches(EnteredSecret("123456")))
    for wrong in ["", "12345", "123457", "1234567"] { #expect(!hash.matches(EnteredSecret(wrong))) }
    #expect(SecretHash(Secret(copying: [UInt8](repeating: 0, count: 50))) == nil)
    #expect(SecretHash(Secret(copying: [1, 4])) == nil)
  }

  @Test func `a sealed secret is opened for its purpose and unchanged only`() async throws {
    let device = SimulatedDevice()
    device.setPasscode("1234")
    let keys = device.ports.keys
    let key = try await keys.create(.sealing)
    let sealed = try await SealedSecret.seal(Secret(copying: [1, 2, 3]), for: .pinHash, with: key, in: keys)
    let opened = try await sealed.open(for: .pinHash, in: keys)
    #expect(opened.withExposedOctets { $0.count } == 3)
    await #expect(throws: DeviceAuthenticationError.self) { _ = try await sealed.open(for: .passwordHash, in: keys) }
    for index in sealed.box.indices {
      var box = sealed.box
      box[index] ^= 1
      let changed = SealedSecret(sealingKey: key, box: box)
      await #expect(throws: DeviceAuthenticationError.self) { _ = try await changed.open(for: .pinHash, in: keys) }
    }
  }
}
