internal import Octets
internal import Synchronization

extension SimulatedDevice {
  /// The four ports.
  public var ports: DevicePorts {
    DevicePorts(
      biometric: Sensor(device: self), passcode: PasscodePrompt(device: self), lock: Lock(device: self),
      keys: SimulatedKeyStore(device: self))
  }

  private struct Sensor: BiometricVerifier {
    let device: SimulatedDevice

    func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment { device.enrolment }

    func verify(
      prompt: String, offeringPasscode: Bool
    ) async throws(DeviceAuthenticationError) -> BiometricResult {
      switch try await enrolment().state {
      case .enrolled: break
      case .notEnrolled: throw .biometricNotEnrolled("nothing is enrolled on the sensor")
      case .unavailable(let reason): throw .unavailable(reason: reason)
      }
      guard !device.sensorIsLocked else { return .lockedOut }
      let number = try device.open(.biometric, prompt)
      defer { device.close(.biometric) }
      guard !Task.isCancelled else { return .cancelled }
      return await result(of: device.user.sensorAct(number), offeringPasscode)
    }

    private func result(of act: SimulatedUser.SensorAct, _ offeringPasscode: Bool) async -> BiometricResult {
      switch act {
      case .presentsEnrolledFinger: return device.scanned(isEnrolled: true)
      case .presentsUnknownFinger: return device.scanned(isEnrolled: false)
      case .wearsOutTheSensor: return .exhausted
      case .asksForPasscode: return offeringPasscode ? .fallbackRequested : .cancelled
      case .cancels: return .cancelled
      case .neverAnswers:
        await untilCancelled()
        return .cancelled
      }
    }
  }

  private struct PasscodePrompt: PasscodeVerifier {
    let device: SimulatedDevice

    func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult {
      guard device.isPasscodeSet else { throw .passcodeNotSet }
      let number = try device.open(.passcode, prompt)
      defer { device.close(.passcode) }
      guard !Task.isCancelled else { return .cancelled }
      switch device.user.passcodeAct(number) {
      case .entersPasscode: return device.enteredOwnPasscode()
      case .entersWrongPasscode: return .notMatched
      case .enters(let text): return device.entered(text)
      case .cancels: return .cancelled
      case .neverAnswers:
        await untilCancelled()
        return .cancelled
      }
    }
  }

  private struct Lock: DeviceLock {
    let device: SimulatedDevice

    func isSet() async throws(DeviceAuthenticationError) -> Bool { device.isPasscodeSet }

    func epoch() async throws(DeviceAuthenticationError) -> LockEpoch { device.lockEpoch }
  }
}

extension SimulatedDevice {
  /// Opens a prompt. Returns the position of its act in the script.
  fileprivate func open(_ method: VerificationMethod, _ text: String) throws(DeviceAuthenticationError) -> Int {
    let number = state.withLock { state -> Int? in
      guard state.openPrompt == nil else { return nil }
      state.openPrompt = method
      state.prompts[method, default: 0] += 1
      state.lastPrompt = text
      defer { state.acts[method, default: 0] += 1 }
      return state.acts[method, default: 0]
    }
    guard let number else { throw .busy("another prompt is open on this device") }
    return number
  }

  fileprivate func close(_ method: VerificationMethod) {
    state.withLock { $0.openPrompt = nil }
  }

  fileprivate var sensorIsLocked: Bool {
    guard let limit = hardware.sensorLocksAfter else { return false }
    return state.withLock { $0.failedScans >= limit }
  }

  fileprivate func scanned(isEnrolled: Bool) -> BiometricResult {
    state.withLock { $0.failedScans = isEnrolled ? 0 : $0.failedScans + 1 }
    return isEnrolled ? .matched : .notMatched
  }

  fileprivate func enteredOwnPasscode() -> PasscodeResult {
    state.withLock { state in
      guard state.passcode != nil else { return .notMatched }
      state.failedScans = 0
      return .matched
    }
  }

  fileprivate func entered(_ text: String) -> PasscodeResult {
    let entry = Array(text.utf8)
    return state.withLock { state in
      let isRight =
        switch state.passcode {
        case .some(let passcode): passcode.withExposedOctets { constantTimeEqual($0, entry.span) }
        case .none: false
        }
      guard isRight else { return .notMatched }
      state.failedScans = 0
      return .matched
    }
  }
}

/// Waits until the task is cancelled.
private func untilCancelled() async {
  let (never, keepsOpen) = AsyncStream<Never>.makeStream()
  for await _ in never {}
  withExtendedLifetime(keepsOpen) {}
}
