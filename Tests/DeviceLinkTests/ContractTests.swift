import DeviceAuthentication
import DeviceLink
import Octets
import TestSupport
import Testing

@Suite("The contract of the device ports, over a socket", .timeLimit(.minutes(60)), .blocks)
struct ContractTests {
  @Test(arguments: PortContract.all)
  func `a phone behind a socket keeps the contract`(_ contract: PortContract) async throws {
    try await contract.check(try LinkedDevice())
  }

  @Test(arguments: DeviceScenario.table + DeviceScenario.consequences)
  func `a published row has the same outcome behind a socket`(_ row: DeviceScenario) async throws {
    #expect(try await row.outcome(on: try LinkedDevice(), clock: SystemClock()) == row.outcome)
  }

  @Test func `the digest of the enrolled set, the secret and the counter pass the socket unchanged`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    #expect(try await linked.ports.biometric.enrolment() == linked.device.ports.biometric.enrolment())
    let key = try await linked.ports.keys.create(.sealing, counting: true)
    let secret = try await linked.ports.keys.unseal(key).withExposedOctets { octets in octets.indices.map { octets[$0] }
    }
    let direct = try await linked.device.ports.keys.unseal(key).withExposedOctets { octets in
      octets.indices.map { octets[$0] }
    }
    #expect(secret == direct)
    #expect(try await linked.ports.keys.advanceCounter(of: key) == linked.device.ports.keys.counter(of: key))
  }

  @Test func `a reading fails when the device has ended`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode])
    let key = try await linked.ports.keys.create(.sealing)
    await linked.server.stopped()
    let error = #expect(throws: DeviceAuthenticationError.self) {
      try linked.ports.monitor.status(of: key, needsEnrolment: false)
    }
    #expect(error?.kind == "unavailable")
  }

  @Test func `a reading names what could not be read, although the device answers`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode])
    let key = try await linked.ports.keys.create(.sealing)
    #expect(try linked.ports.monitor.status(of: key, needsEnrolment: false) == .usable)
    linked.device.keyStoreError = .unavailable(reason: "no TPM")
    #expect(throws: DeviceAuthenticationError.unavailable(reason: "no TPM")) {
      try linked.ports.monitor.status(of: key, needsEnrolment: false)
    }
  }

  @Test func `the texts of both prompts reach the device`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    _ = try await linked.ports.biometric.verify(prompt: "Pay 12,34 €", offeringPasscode: false)
    #expect(linked.device.lastPrompt == "Pay 12,34 €")
    _ = try await linked.ports.passcode.verify(prompt: "Pay 5 £")
    #expect(linked.device.lastPrompt == "Pay 5 £")
  }

  @Test func `a prompt of more than 1024 bytes is cut between two characters`() async throws {
    let linked = try LinkedDevice(changes: [.setPasscode, .enrolBiometric])
    let long = String(repeating: "€", count: 400)
    _ = try await linked.ports.biometric.verify(prompt: long, offeringPasscode: false)
    #expect(linked.device.lastPrompt == String(repeating: "€", count: 341))
  }
}
