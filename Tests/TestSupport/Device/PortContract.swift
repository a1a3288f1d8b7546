public import DeviceAuthentication
internal import Octets
public import Testing

/// The contract of the ports, for every device whose settings a program can change.
///
/// Another implementation runs the same checks: each check needs a device without a lock, enrolments or keys.
public struct PortContract: Sendable, CustomTestStringConvertible {
  /// The fact that the check proves.
  public let testDescription: String
  /// Runs the check.
  public let check: @Sendable (any ScenarioDevice) async throws -> Void

  init(_ name: String, _ check: @escaping @Sendable (any ScenarioDevice) async throws -> Void) {
    testDescription = name
    self.check = check
  }

  /// All checks.
  public static let all = biometric + enrolments + passcode + lock + keys

  private static let biometric = [
    PortContract("the sensor reports the present enrolment") { device in
      #expect(try await device.ports.biometric.enrolment().state == .notEnrolled)
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      #expect(try await device.ports.biometric.enrolment().state == .enrolled)
      try await device.apply(.enrolBiometric)
      #expect(try await device.ports.biometric.enrolment().state == .enrolled)
      try await device.apply(.removeAllBiometrics)
      #expect(try await device.ports.biometric.enrolment().state == .notEnrolled)
    },
    PortContract("one prompt is one attempt, and no result is kept") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.setUser(
        SimulatedUser(
          atSensor: [.presentsUnknownFinger, .presentsEnrolledFinger, .presentsUnknownFinger], atPasscode: [.cancels]))
      for expected in [BiometricResult.notMatched, .matched, .notMatched] {
        #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == expected)
      }
    },
    PortContract("the person can close the sensor's prompt") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.setUser(.cancel)
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: true) == .cancelled)
    },
    PortContract("the passcode is offered only when the caller allows it") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.setUser(.noBiometrics)
      let sensor = device.ports.biometric
      #expect(try await sensor.verify(prompt: "p", offeringPasscode: true) == .fallbackRequested)
      #expect(try await sensor.verify(prompt: "p", offeringPasscode: false) == .cancelled)
    },
    PortContract("a sensor without enrolments shows no prompt") { device in
      try await device.apply(.setPasscode)
      let error = await thrown { () throws(DeviceAuthenticationError) in
        try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false)
      }
      #expect(error?.kind == "biometricNotEnrolled")
    },
    PortContract("a cancelled task closes the sensor's prompt") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      try await device.setUser(.neverAnswers)
      let task = Task { try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) }
      for _ in 0..<10 { await Task.yield() }
      task.cancel()
      #expect(try await task.value == .cancelled)
      try await device.setUser(.approve)
      #expect(try await device.ports.biometric.verify(prompt: "p", offeringPasscode: false) == .matched)
    },
    PortContract("a task that was cancelled before the call gets no match from the sensor") { device in
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

  private static let enrolments = [
    PortContract("a reading finds that the last finger or face was removed, where one is needed") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      let monitor = device.ports.monitor
      let key = try await device.ports.keys.create(.sealing)
      #expect(try monitor.status(of: key, needsEnrolment: true) == .usable)
      try await device.apply(.enrolBiometric)
      #expect(try monitor.status(of: key, needsEnrolment: true) == .usable)
      try await device.apply(.removeAllBiometrics)
      #expect(try monitor.status(of: key, needsEnrolment: true) == .nothingEnrolled)
      #expect(try monitor.status(of: key, needsEnrolment: false) == .usable)
    },
    PortContract("the digest of the enrolled set changes with the set only, and is empty without an enrolment") {
      device in
      func enrolment() async throws -> BiometricEnrolment { try await device.ports.biometric.enrolment() }
      #expect(try await enrolment().digest.isEmpty)
      try await device.apply(.setPasscode)
      try await device.apply(.enrolBiometric)
      let first = try await enrolment()
      #expect((1...32).contains(first.digest.count))
      try await device.apply(.changePasscode)
      #expect(try await enrolment() == first)
      try await device.apply(.enrolBiometric)
      #expect(try await enrolment().digest != first.digest)
      #expect(try await enrolment().kind == first.kind)
      try await device.apply(.removeAllBiometrics)
      #expect(try await enrolment().digest.isEmpty)
    },
  ]

  private static let passcode = [
    PortContract("one passcode prompt is one attempt, and no result is kept") { device in
      try await device.apply(.setPasscode)
      try await device.setUser(
        SimulatedUser(
          atSensor: [.cancels], atPasscode: [.entersWrongPasscode, .entersPasscode, .enters(""), .entersPasscode]))
      for expected in [PasscodeResult.notMatched, .matched, .notMatched, .matched] {
        #expect(try await device.ports.passcode.verify(prompt: "p") == expected)
      }
    },
    PortContract("a changed passcode is the valid one") { device in
      try await device.apply(.setPasscode)
      try await device.apply(.changePasscode)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .matched)
    },
    PortContract("without a passcode no entry matches, not even the empty one") { device in
      try await device.setUser(SimulatedUser(atSensor: [.cancels], atPasscode: [.enters("")]))
      func error() async -> DeviceAuthenticationError? {
        await thrown { () throws(DeviceAuthenticationError) in try await device.ports.passcode.verify(prompt: "p") }
      }
      #expect(await error() == .passcodeNotSet)
      try await device.apply(.setPasscode)
      try await device.apply(.disableLockScreen)
      #expect(await error() == .passcodeNotSet)
    },
    PortContract("the person can close the passcode prompt") { device in
      try await device.apply(.setPasscode)
      try await device.setUser(.cancel)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .cancelled)
    },
    PortContract("a cancelled task closes the passcode prompt") { device in
      try await device.apply(.setPasscode)
      try await device.setUser(.neverAnswers)
      let task = Task { try await device.ports.passcode.verify(prompt: "p") }
      for _ in 0..<10 { await Task.yield() }
      task.cancel()
      #expect(try await task.value == .cancelled)
      try await device.setUser(.approve)
      #expect(try await device.ports.passcode.verify(prompt: "p") == .matched)
    },
    PortContract("a task that was cancelled before the call gets no match from the passcode") { device in
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
    PortContract("the lock is set while a passcode is set") { device in
      #expect(try await device.ports.lock.isSet() == false)
      try await device.apply(.setPasscode)
      #expect(try await device.ports.lock.isSet())
      try await device.apply(.disableLockScreen)
      #expect(try await device.ports.lock.isSet() == false)
    },
    PortContract("only a removal of the lock raises the epoch") { device in
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
}
