internal import Octets

// The requirements and the prompts of a verification.
extension HolderVerifier {
  /// Returns whether the device can verify its owner under the rules. A port that fails counts as not set.
  public func eligibility() async -> DeviceOwnerAuthentication {
    for requirement in rules.requirements {
      guard await isMet(requirement) else { return requirement.missing }
    }
    return .supported
  }

  func checkRequirements() async throws(DeviceAuthenticationError) {
    for requirement in rules.requirements {
      if let error = try await unmet(requirement) { throw error }
    }
  }

  private func isMet(_ requirement: DeviceRequirement) async -> Bool {
    do throws(DeviceAuthenticationError) {
      return try await unmet(requirement) == nil
    } catch {
      return false
    }
  }

  private func unmet(
    _ requirement: DeviceRequirement
  ) async throws(DeviceAuthenticationError) -> DeviceAuthenticationError? {
    switch requirement {
    case .lock: return try await ports.lock.isSet() ? nil : .passcodeNotSet
    case .biometric:
      switch try await ports.biometric.enrolment().state {
      case .enrolled: return nil
      case .notEnrolled:
        let isLocked = (try? await ports.lock.isSet()) ?? true
        return .biometricNotEnrolled(
          isLocked
            ? "enrol a finger or a face on the device, then try again"
            : "the device has no lock either; set a passcode first, then enrol a finger or a face")
      case .unavailable(let reason): return .unavailable(reason: reason)
      }
    }
  }

  /// Runs the prompts for the methods that the device has at this moment.
  func recognise(prompt: String) async throws(DeviceAuthenticationError) -> VerificationMethod {
    var methods = rules.methods
    // Rules that require biometrics have just checked them; for the others their absence is no error.
    if methods.count > 1, (try? await ports.biometric.enrolment())?.state != .enrolled {
      methods.removeAll { $0 == .biometric }
    }
    guard var sequence = PromptSequence(methods: methods, limits: limits) else { throw .authenticationFailed }
    var step = sequence.step
    while true {
      switch step {
      case .ask(let method, let fallback):
        step = sequence.receive(await ask(method, prompt: prompt, fallback: fallback))
      case .verified(let method): return method
      case .failed(let error): throw error
      }
    }
  }

  private func ask(
    _ method: VerificationMethod, prompt: String, fallback: Bool
  ) async -> PromptSequence.Answer {
    let limit = limits.promptDuration
    let late = DeviceAuthenticationError.timedOut(limit: limit)
    let result = await answer(until: clock.now + limit, by: clock, late: late) {
      () async throws(DeviceAuthenticationError) -> BiometricResult in
      switch method {
      case .biometric: try await checked(ports.biometric.verify(prompt: prompt, offeringPasscode: fallback))
      case .passcode: try await ports.passcode.verify(prompt: prompt).answer
      }
    }
    return result ?? .success(.cancelled)
  }

  /// A sensor can still recognise a finger whose print was removed while the prompt was open.
  private func checked(_ result: BiometricResult) async throws(DeviceAuthenticationError) -> BiometricResult {
    guard result == .matched, try await ports.biometric.enrolment().state == .notEnrolled else { return result }
    // A removed lock may have removed the biometrics too, and is the error to report.
    if let key { try await checkKey(key) }
    throw .biometricNotEnrolled("the last finger or face was removed while the prompt was open")
  }
}
