internal import Octets

extension SimulatedPorts {
  /// The passcode prompt of a simulated device.
  struct PasscodePrompt: PasscodeVerifier {
    let device: SimulatedPorts

    func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult {
      let isLocked = try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
        guard memory.passcode != nil else { throw .passcodeNotSet }
        return memory.passcodeIsLocked(at: device.clock.now)
      }
      guard !isLocked else { return .lockedOut }
      let number = try device.run.open(.passcode, prompt)
      defer { device.run.close() }
      guard !Task.isCancelled else { return .cancelled }
      switch device.run.user.passcodeAct(number) {
      case .entersPasscode: return try await entered { _ in true }
      case .entersWrongPasscode: return try await entered { _ in false }
      case .enters(let text):
        let entry = Array(text.utf8)
        return try await entered { $0.octets.withExposedOctets { constantTimeEqual($0, entry.span) } }
      case .cancels: return .cancelled
      case .neverAnswers:
        await untilCancelled()
        return .cancelled
      }
    }

    private func entered(
      _ isRight: (SharedSecret) -> Bool
    ) async throws(DeviceAuthenticationError) -> PasscodeResult {
      try await device.storage.change { (memory) throws(DeviceAuthenticationError) in
        memory.entered(isRight: memory.passcode.map(isRight) ?? false, at: device.clock.now)
      }
    }
  }
}
