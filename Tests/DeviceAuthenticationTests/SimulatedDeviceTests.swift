import DeviceAuthentication
import Octets
import Testing

@Suite("The simulated device", .timeLimit(.minutes(20)))
struct SimulatedDeviceTests {
  @Test func `removing the passcode removes the biometrics of a phone only`() {
    let phone = device()
    phone.disableLockScreen()
    #expect(!phone.isPasscodeSet)
    #expect(phone.enrolmentCount == 0)
    #expect(phone.lockEpoch == LockEpoch(rawValue: 1))
    let machine = device(hardware: .init(biometricsNeedPasscode: false))
    machine.disableLockScreen()
    #expect(machine.enrolmentCount == 1)
  }

  @Test func `disabling a lock screen that is not set changes nothing`() {
    let device = SimulatedDevice()
    device.disableLockScreen()
    #expect(device.lockEpoch == LockEpoch(rawValue: 0))
  }

  @Test func `the passcode is the one that was set or changed last`() async throws {
    let device = device([.setPasscode])
    device.changePasscode(to: "0000")
    let entries: [(String, PasscodeResult)] = [
      ("1234", .notMatched), ("000", .notMatched), ("00000", .notMatched), ("", .notMatched), ("0000", .matched),
    ]
    device.user = SimulatedUser(atSensor: [.cancels], atPasscode: entries.map { .enters($0.0) })
    for (entry, expected) in entries {
      #expect(try await device.ports.passcode.verify(prompt: "p") == expected, "\(entry)")
    }
  }

  @Test func `a sensor locks after its limit of consecutive failed scans, and the passcode unlocks it`() async throws {
    let device = device(hardware: .init(sensorLocksAfter: 2), user: .fail)
    let verifier = try await CardholderVerifier(policy: .biometricOnly, ports: device.ports, clock: ManualClock())
      .enrolled()
    #expect(await verifier.result() == .failure(.lockedOut(.biometric)))
    #expect(device.promptCount(.biometric) == 2, "a locked sensor shows no prompt")
    device.user = .approve
    #expect(await verifier.result() == .failure(.lockedOut(.biometric)))
    let userPresence = CardholderVerifier(
      policy: .userPresence, ports: device.ports, key: verifier.key, clock: ManualClock())
    #expect(await userPresence.result() == .success(.passcode))
    #expect(await verifier.result() == .success(.biometric))
  }

  @Test func `a recognised finger resets the count of failed scans`() async throws {
    let device = device(hardware: .init(sensorLocksAfter: 2))
    device.user = SimulatedUser(
      atSensor: [.presentsUnknownFinger, .presentsEnrolledFinger, .presentsUnknownFinger, .presentsEnrolledFinger],
      atPasscode: [.cancels])
    for expected in [BiometricResult.notMatched, .matched, .notMatched, .matched] {
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == expected)
    }
  }

  @Test func `an exhausted sensor shows no further prompt`() async throws {
    let device = device(user: SimulatedUser(atSensor: [.wearsOutTheSensor], atPasscode: [.entersPasscode]))
    let verifier = try await CardholderVerifier(policy: .userPresence, ports: device.ports, clock: ManualClock())
      .enrolled()
    #expect(await verifier.result() == .success(.passcode))
    #expect(device.promptCount(.biometric) == 1)
  }

  @Test func `a new user starts at the first act`() async throws {
    let device = device(user: .wrongThenRight)
    for _ in 0..<2 {
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .notMatched)
      device.user = .wrongThenRight
    }
  }

  @Test func `two wallets on one device have separate keys`() async throws {
    let device = device()
    let keys = device.ports.keys
    let one = try await keys.create(.sealing)
    device.disableLockScreen()
    device.setPasscode("1234")
    let other = try await keys.create(.sealing)
    #expect(try await keys.access(other) == .usable)
    #expect(try await keys.access(one) != .usable)
    try await keys.delete(one)
    #expect(try await keys.access(other) == .usable)
    #expect(device.keyCount == 1)
  }

  @Test func `settings that no device offers trap`() async {
    await #expect(processExitsWith: .failure) { SimulatedDevice().changePasscode(to: "1") }
    await #expect(processExitsWith: .failure) { SimulatedDevice().setPasscode("") }
    await #expect(processExitsWith: .failure) { SimulatedDevice().enrolBiometric() }
    await #expect(processExitsWith: .failure) {
      let device = SimulatedDevice(hardware: .init(hasSensor: false))
      device.setPasscode("1")
      device.enrolBiometric()
    }
    await #expect(processExitsWith: .failure) { _ = SimulatedUser(atSensor: [], atPasscode: [.cancels]) }
    await #expect(processExitsWith: .failure) { _ = SimulatedUser(atSensor: [.cancels], atPasscode: []) }
  }

  @Test func `every error has its own sentence`() {
    let errors: [DeviceAuthenticationError] = [
      .authenticationKeyInvalidated(.keyGone), .authenticationKeyInvalidated(.refused(code: 0x126)),
      .authenticationKeyInvalidated(
        .lockRemoved(keyEpoch: LockEpoch(rawValue: 3), presentEpoch: LockEpoch(rawValue: 5))),
      .authenticationKeyMissing, .biometricNotEnrolled("x"), .passcodeNotSet, .authenticationFailed,
      .lockedOut(.biometric), .lockedOut(.passcode), .cancelled, .timedOut(limit: .seconds(60)), .busy("x"),
      .unavailable(reason: "x"), .fallbackRequested, .verificationExpired,
      .authenticationKeyInvalidated(.enrolmentChanged), .authenticationKeyInvalidated(.enrolmentRemoved),
      .authenticationKeyInvalidated(.attemptsExhausted),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors[1].description.contains("0x126"))
    #expect(errors[2].description.contains("key of lock epoch 3, now 5"))
    #expect(errors[10].description.contains("60"))
  }
}
