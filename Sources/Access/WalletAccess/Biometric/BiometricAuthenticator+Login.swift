internal import AccessMessages
internal import DeviceAuthentication
internal import MobileAuthentication

extension BiometricAuthenticator {
  /// Logs in by what the user prefers: biometrics when they are registered and preferred, otherwise the PIN.
  ///
  /// Biometrics that the device or the issuer does not offer now lead to the PIN, whose challenge has the reason.
  ///
  /// - Parameters:
  ///   - prefersBiometric: Whether biometrics are asked for; nil for the user's stored choice.
  ///   - challenges: Answers the biometric challenge.
  ///   - pins: Asks for the PIN.
  /// - Throws: `.cancelled` when the answer to the challenge is `cancel`; `.emptyPrompt` for a prompt without a text;
  ///   `.noBiometricLogin` when biometrics are demanded and not registered; `.noPINLogin` when the PIN is needed and the
  ///   issuer has no login by PIN; the errors of a login by PIN.
  public func login(
    prefersBiometric: Bool? = nil, answering challenges: any BiometricChallengeResponder,
    asking pins: any PINChallengeResponder
  ) async throws(WalletAccessError) -> LoginResult {
    guard try await wallet.checkLogin().isRegistered else { throw .notLinked }
    let record = try await wallet.record().biometric
    if prefersBiometric == true, record == nil { throw .noBiometricLogin }
    let requirements = try await wallet.requirements()
    let kind = (try? await wallet.device.ports.biometric.enrolment())?.kind ?? .finger
    var step = Step.pin(.login)
    if let record, prefersBiometric ?? record.isPreferred {
      step = try await answer(record, requirements, kind, answering: challenges)
    }
    switch step {
    case .session(let result): return result
    case .pin(let reason):
      let challenge = PINChallenge(reason: reason, kind: kind)
      guard requirements.pinLogin else { throw .noPINLogin(challenge) }
      let pin = try await wallet.ask { () async throws(InteractionCancelled) in try await pins.pin(for: challenge) }
      return try await wallet.open(wallet.logIn(pin: pin), by: .pin)
    }
  }

  /// What a login by biometrics led to.
  private enum Step {
    case session(LoginResult)
    case pin(PINChallenge.Reason)
  }

  private func answer(
    _ record: BiometricTokenRecord, _ requirements: WalletRequirements, _ kind: BiometricKind,
    answering challenges: any BiometricChallengeResponder
  ) async throws(WalletAccessError) -> Step {
    guard requirements.biometricLogin else { return .pin(.withdrawn) }
    switch await deviceConditions().first {
    case .tampered?: return .pin(.tampered)
    case .noHardware?: return .pin(.unavailable)
    // A removed set ends biometric login at the prompt.
    case .notEnrolled?, .notAllowed?, .noPINLogin?, nil: break
    }
    switch await challenges.respond(to: BiometricChallenge(server: wallet.server, kind: kind)) {
    case .cancel: throw .cancelled
    case .pinFallback: return .pin(.fallback)
    case .prompt(let text): return try await logIn(by: record, prompt: text)
    }
  }

  private func logIn(by record: BiometricTokenRecord, prompt: String) async throws(WalletAccessError) -> Step {
    guard prompt.contains(where: { !$0.isWhitespace }) else { throw .emptyPrompt }
    switch await release(record, prompt: prompt) {
    case .token(let token): return try await logIn(token: token)
    case .pin(let reason): return .pin(reason)
    case .changed:
      _ = try await forget()
      try? await wallet.reportBiometricRemoval()
      return .pin(.biometricsRemoved)
    case .gone:
      // The status was signed by the identity of the device, so that only this key is gone.
      if try await wallet.record().biometric?.token == record.token { _ = try await forget() }
      return .pin(.tokenGone)
    case .failed(.keysLost):
      // Another process has removed biometric login: it removes the record first and the key afterwards.
      guard try await wallet.record().biometric?.token == record.token else { return .pin(.tokenGone) }
      try await wallet.loseKeys()
      throw .keysLost
    case .failed(let error): throw error
    }
  }

  /// What a verification of the holder led to.
  private enum Release {
    case token(String)
    /// The holder was not recognised, chose the PIN, or the sensor is locked or does not work.
    case pin(PINChallenge.Reason)
    /// The enrolled fingers or faces have changed: the key is deleted.
    case changed
    /// The device has deleted the key.
    case gone
    case failed(WalletAccessError)
  }

  /// Verifies the holder and opens the token.
  private func release(_ record: BiometricTokenRecord, prompt: String) async -> Release {
    let device = wallet.device.ports
    let sensor = ObservedSensor(device.biometric)
    let ports = DevicePorts(biometric: sensor, passcode: device.passcode, lock: device.lock, keys: device.keys)
    do throws(DeviceAuthenticationError) {
      let proof = try await wallet.verifier(record.key, ports).verify(
        for: .unsealing, validity: CardholderVerifier.defaultValidity, prompt: prompt)
      return .token(try await record.token.open(for: .biometricToken, by: proof).exposedText)
    } catch {
      switch error {
      case .fallbackRequested: return .pin(sensor.isLocked ? .locked : .fallback)
      case .busy, .unavailable, .timedOut, .biometricNotEnrolled: return .pin(.unavailable)
      case .authenticationKeyInvalidated(let loss):
        switch loss {
        case .enrolmentChanged, .enrolmentRemoved: return .changed
        case .keyGone: return .gone
        case .lockRemoved, .otherDevice, .refused, .attemptsExhausted: return .failed(.keysLost)
        }
      default: return .failed(WalletAccessError(error))
      }
    }
  }

  private func logIn(token: String) async throws(WalletAccessError) -> Step {
    do throws(WalletAccessError) {
      return .session(try await wallet.open(wallet.session(.biometricToken(token)), by: .biometric))
    } catch {
      switch error {
      case .wrongCredentials:
        // The issuer has withdrawn the token.
        _ = try await forget()
        return .pin(.withdrawn)
      case .refused(let refusal) where refusal.failure?.code == .notAllowed: return .pin(.withdrawn)
      default: throw error
      }
    }
  }
}
