import DeviceAuthentication
import Octets
import Testing

/// What every implementation of the ports must do, over any device whose settings a program can change.
///
/// A device of another kind runs the same list: hand each check a device that is as new.
struct PortContract: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (any ScenarioDevice) async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (any ScenarioDevice) async throws -> Void) {
    testDescription = name
    self.check = check
  }

  static let all = biometric + passcode + lock + key

  private static let biometric = [
    PortContract("the sensor tells what is enrolled now") { device in
      #expect(try await device.ports.biometric.enrolment() == .notEnrolled)
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      #expect(try await device.ports.biometric.enrolment() == .enrolled)
      try await device.apply(.enrolBiometric)
      #expect(try await device.ports.biometric.enrolment() == .enrolled)
      try await device.apply(.removeAllBiometrics)
      #expect(try await device.ports.biometric.enrolment() == .notEnrolled)
    },
    PortContract("one prompt is one try, and each asks anew") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.seat(
        SimulatedUser(
          atSensor: [.presentsUnknownFinger, .presentsEnrolledFinger, .presentsUnknownFinger], atPasscode: [.cancels]))
      for expected in [BiometricResult.notMatched, .matched, .notMatched] {
        #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == expected)
      }
    },
    PortContract("the person can take the sensor's prompt away") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.seat(.cancel)
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: true) == .cancelled)
    },
    PortContract("the passcode is offered only where the caller says so") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.seat(.noBiometrics)
      let sensor = device.ports.biometric
      #expect(try await sensor.verify(prompt: "p", offeringPasscode: true) == .fallbackRequested)
      #expect(try await sensor.verify(prompt: "p", offeringPasscode: false) == .cancelled)
    },
    PortContract("a sensor that knows nobody asks nobody") { device in
      try await device.apply(.setPasscode)
      let error = await thrown { () throws(DeviceAuthenticationError) in
        try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false)
      }
      #expect(error?.kind == "biometricNotEnrolled")
    },
    PortContract("a cancelled task takes the sensor's prompt away") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.seat(.neverAnswers)
      let task = Task { try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) }
      for _ in 0..<10 { await Task.yield() }
      task.cancel()
      #expect(try await task.value == .cancelled)
      try await device.seat(.approve)
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .matched)
    },
    PortContract("a task that was cancelled before is not recognised by the sensor") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      let task = Task {
        await until { false }
        return try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false)
      }
      task.cancel()
      #expect(try await task.value == .cancelled)
    },
  ]

  private static let passcode = [
    PortContract("one passcode prompt is one try, and each asks anew") { device in
      try await device.apply(.setPasscode)
      try await device.seat(
        SimulatedUser(
          atSensor: [.cancels], atPasscode: [.entersWrongPasscode, .entersPasscode, .enters(""), .entersPasscode]))
      for expected in [PasscodeResult.notMatched, .matched, .notMatched, .matched] {
        #expect(try await device.ports.passcode.verify(prompt: "p") == expected)
      }
    },
    PortContract("a changed passcode is the one that counts") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.changePasscode)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .matched)
    },
    PortContract("without a passcode nothing matches, the empty entry least of all") { device in
      try await device.seat(SimulatedUser(atSensor: [.cancels], atPasscode: [.enters("")]))
      func error() async -> DeviceAuthenticationError? {
        await thrown { () throws(DeviceAuthenticationError) in try await device.ports.passcode.verify(prompt: "p") }
      }
      #expect(await error() == .passcodeNotSet)
      try await device.apply(.setPasscode)
      try await device.apply(.disableLockScreen)
      #expect(await error() == .passcodeNotSet)
    },
    PortContract("the person can take the passcode prompt away") { device in
      try await device.apply(.setPasscode)
      try await device.seat(.cancel)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .cancelled)
    },
    PortContract("a cancelled task takes the passcode prompt away") { device in
      try await device.apply(.setPasscode)
      try await device.seat(.neverAnswers)
      let task = Task { try await device.ports.passcode.verify(prompt: "p") }
      for _ in 0..<10 { await Task.yield() }
      task.cancel()
      #expect(try await task.value == .cancelled)
      try await device.seat(.approve)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .matched)
    },
    PortContract("a task that was cancelled before is not let in by the passcode") { device in
      try await device.apply(.setPasscode)
      let task = Task {
        await until { false }
        return try await device.ports.passcode.verify(prompt: "p")
      }
      task.cancel()
      #expect(try await task.value == .cancelled)
    },
  ]

  private static let lock = [
    PortContract("the lock is set while there is a passcode") { device in
      #expect(try await device.ports.lock.isSet() == false)
      try await device.apply(.setPasscode)
      #expect(try await device.ports.lock.isSet())
      try await device.apply(.disableLockScreen)
      #expect(try await device.ports.lock.isSet() == false)
    },
    PortContract("each removal of the lock raises the epoch, and nothing else moves it") { device in
      var epoch = try await device.ports.lock.epoch()
      for _ in 0..<3 {
        for change in [DeviceChange.setPasscode, .enrolBiometric, .changePasscode, .removeAllBiometrics] {
          try await device.apply(change)
          #expect(try await device.ports.lock.epoch() == epoch, "\(change)")
        }
        try await device.apply(.disableLockScreen)
        let raised = try await device.ports.lock.epoch()
        #expect(raised > epoch)
        epoch = raised
      }
    },
  ]

  private static let key = [
    PortContract("no key is made without a lock") { device async throws in
      func error() async -> DeviceAuthenticationError? {
        await thrown { () throws(DeviceAuthenticationError) in try await device.ports.key.create() }
      }
      #expect(await error() == .passcodeNotSet)
      #expect(try await device.ports.key.access() == .missing)
    },
    PortContract("a key works from its making to its deletion") { device in
      try await device.apply(.setPasscode)
      #expect(try await device.ports.key.access() == .missing)
      try await device.ports.key.create()
      #expect(try await device.ports.key.access() == .usable)
      try await device.ports.key.delete()
      #expect(try await device.ports.key.access() == .missing)
      try await device.ports.key.delete()
    },
    PortContract("a key outlives a changed passcode and every change of the enrolments") { device in
      try await device.apply(.setPasscode)
      try await device.ports.key.create()
      for change in [DeviceChange.changePasscode, .enrolBiometric, .enrolBiometric, .removeAllBiometrics] {
        try await device.apply(change)
        #expect(try await device.ports.key.access() == .usable, "\(change)")
      }
    },
    PortContract("a removed lock makes the key invalid for good, and a new key is good again") { device in
      try await device.apply(.setPasscode)
      try await device.ports.key.create()
      try await device.apply(.disableLockScreen)
      func expectInvalid() async throws {
        guard case .invalidated = try await device.ports.key.access() else {
          Issue.record("the key is not invalid")
          return
        }
      }
      try await expectInvalid()
      try await device.apply(.setPasscode)
      try await expectInvalid()
      try await expectInvalid()
      try await device.ports.key.create()
      #expect(try await device.ports.key.access() == .usable)
    },
  ]
}

@Suite("The ports keep their contract", .timeLimit(.minutes(10)))
struct PortContractTests {
  @Test(arguments: PortContract.all)
  func `on a simulated phone`(_ contract: PortContract) async throws {
    try await contract.check(SimulatedDevice())
  }

  @Test(arguments: PortContract.all)
  func `on a simulated machine that keeps fingerprints without a passcode`(_ contract: PortContract) async throws {
    try await contract.check(SimulatedDevice(hardware: .init(biometricsNeedPasscode: false)))
  }
}
