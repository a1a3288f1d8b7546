package import Octets

/// The ports of a simulated device, over the storage of its memory.
package struct SimulatedPorts: Sendable {
  let storage: any SimulatedStorage
  let run: SimulatedRun
  let random: any RandomSource
  let signing: (any SoftwareSigning)?
  let clock: any WallClock

  package init(
    storage: any SimulatedStorage, run: SimulatedRun, random: any RandomSource, signing: (any SoftwareSigning)?,
    clock: any WallClock
  ) {
    self.storage = storage
    self.run = run
    self.random = random
    self.signing = signing
    self.clock = clock
  }

  /// The ports.
  package var ports: DevicePorts {
    DevicePorts(
      biometric: Sensor(device: self), passcode: PasscodePrompt(device: self), lock: Lock(device: self),
      keys: SimulatedKeyStore(device: self), monitor: SimulatedMonitor(device: self))
  }

  private struct Sensor: BiometricVerifier {
    let device: SimulatedPorts

    func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment {
      try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.enrolment }
    }

    func verify(
      prompt: String, offeringPasscode: Bool
    ) async throws(DeviceAuthenticationError) -> BiometricResult {
      switch try await enrolment().state {
      case .enrolled: break
      case .notEnrolled: throw .biometricNotEnrolled("nothing is enrolled on the sensor")
      case .unavailable(let reason): throw .unavailable(reason: reason)
      }
      let isLocked = try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.sensorIsLocked
      }
      guard !isLocked else { return .lockedOut }
      let number = try device.run.open(.biometric, prompt)
      defer { device.run.close() }
      guard !Task.isCancelled else { return .cancelled }
      return try await result(of: device.run.user.sensorAct(number), offeringPasscode)
    }

    private func result(
      of act: SimulatedUser.SensorAct, _ offeringPasscode: Bool
    ) async throws(DeviceAuthenticationError) -> BiometricResult {
      switch act {
      case .presentsEnrolledFinger: return try await scanned(isEnrolled: true)
      case .presentsUnknownFinger: return try await scanned(isEnrolled: false)
      case .wearsOutTheSensor: return .exhausted
      case .asksForPasscode: return offeringPasscode ? .fallbackRequested : .cancelled
      case .cancels: return .cancelled
      case .neverAnswers:
        await untilCancelled()
        return .cancelled
      }
    }

    private func scanned(isEnrolled: Bool) async throws(DeviceAuthenticationError) -> BiometricResult {
      try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
        memory.scanned(isEnrolled: isEnrolled)
      }
    }
  }

  private struct Lock: DeviceLock {
    let device: SimulatedPorts

    func isSet() async throws(DeviceAuthenticationError) -> Bool {
      try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.passcode != nil }
    }

    func epoch() async throws(DeviceAuthenticationError) -> LockEpoch {
      LockEpoch(rawValue: try await device.storage.read { (memory) throws(DeviceAuthenticationError) in memory.epoch })
    }
  }
}

/// Waits until the task is cancelled.
func untilCancelled() async {
  let (never, keepsOpen) = AsyncStream<Never>.makeStream()
  for await _ in never {}
  withExtendedLifetime(keepsOpen) {}
}
