#if LinuxDevice
  import DeviceAuthentication
  import DeviceLink
  import LinuxDevice

  /// The passcode check on the terminal of a client.
  struct TerminalPasscode: PasscodeVerifier {
    let passcode: PAMPasscode
    /// Nil when the client passed none.
    let terminal: PromptTerminal?

    func verify(prompt: String) async throws(DeviceAuthenticationError) -> PasscodeResult {
      guard let terminal else { throw .unavailable(reason: "the request for the passcode came without a terminal") }
      defer { withExtendedLifetime(terminal) {} }
      return try await passcode.verify(prompt: prompt, on: terminal.descriptor)
    }
  }
#endif
