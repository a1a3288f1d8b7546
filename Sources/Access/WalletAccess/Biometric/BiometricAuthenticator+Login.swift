internal import AccessMessages
internal import DeviceAuthentication
internal import MobileAuthentication
internal import Octets

extension BiometricAuthenticator {
  /// Logs in by what the user prefers: biometrics when they are registered and preferred, otherwise the PIN.
  ///
  /// - Parameters:
  ///   - prefersBiometric: Whether biometrics are asked for; nil for the user's stored choice.
  ///   - challenges: Answers the biometric challenge.
  ///   - pins: Asks for the PIN: when the user prefers it, chose it, or failed too often, and after the enrolled fingers or
  ///     faces have changed.
  /// - Throws: `.cancelled` when the answer to the challenge is `cancel`; `.emptyPrompt` for a prompt without a text;
  ///   `.noBiometricLogin` when biometrics are demanded and not registered; the errors of a login by PIN.
  public func login(
    prefersBiometric: Bool? = nil, answering challenges: any BiometricChallengeResponder,
    asking pins: any PINChallengeResponder
  ) async throws(WalletAccessError) -> LoginResult {
    guard try await wallet.checkLogin().isRegistered else { throw .notLinked }
    let record = try await wallet.record().biometric
    if prefersBiometric == true, record == nil { throw .noBiometricLogin }
    guard let record, prefersBiometric ?? record.isPreferred else { return try await logIn(asking: pins, .login) }
    switch await challenges.respond(to: BiometricChallenge(server: wallet.server)) {
    case .cancel: throw .cancelled
    case .pinFallback: return try await logIn(asking: pins, .fallback)
    case .prompt(let text): return try await logIn(by: record, prompt: text, asking: pins)
    }
  }

  private func logIn(
    by record: BiometricTokenRecord, prompt: String, asking pins: any PINChallengeResponder
  ) async throws(WalletAccessError) -> LoginResult {
    guard prompt.contains(where: { !$0.isWhitespace }) else { throw .emptyPrompt }
    switch await release(record, prompt: prompt) {
    case .token(let token): return try await logIn(token: token)
    case .pin: return try await logIn(asking: pins, .fallback)
    case .changed:
      _ = try await forget()
      try? await wallet.reportBiometricRemoval()
      return try await logIn(asking: pins, .biometricsRemoved)
    case .failed(.keysLost):
      // Another process has removed biometric login: it removes the record first and the key afterwards.
      guard try await wallet.record().biometric?.token == record.token else { throw .noBiometricLogin }
      try await wallet.loseKeys()
      throw .keysLost
    case .failed(let error): throw error
    }
  }

  /// What a verification of the holder led to.
  private enum Release {
    case token(String)
    /// The holder was not recognised, or chose the PIN.
    case pin
    /// The enrolled fingers or faces have changed: the key is deleted.
    case changed
    case failed(WalletAccessError)
  }

  /// Verifies the holder and opens the token.
  private func release(_ record: BiometricTokenRecord, prompt: String) async -> Release {
    do throws(DeviceAuthenticationError) {
      let proof = try await wallet.verifier(record.key).verify(
        for: .unsealing, validity: CardholderVerifier.defaultValidity, prompt: prompt)
      return .token(try await record.token.open(for: .biometricToken, by: proof).exposedText)
    } catch {
      switch error {
      case .fallbackRequested: return .pin
      case .authenticationKeyInvalidated(let loss):
        switch loss {
        case .enrolmentChanged, .enrolmentRemoved: return .changed
        case .lockRemoved, .keyGone, .otherDevice, .refused, .attemptsExhausted: return .failed(.keysLost)
        }
      default: return .failed(WalletAccessError(error))
      }
    }
  }

  private func logIn(token: String) async throws(WalletAccessError) -> LoginResult {
    do throws(WalletAccessError) {
      return try await wallet.open(wallet.session(.biometricToken(token)), by: .biometric)
    } catch .wrongCredentials {
      // The issuer has withdrawn the token.
      _ = try await forget()
      throw .wrongCredentials
    }
  }

  private func logIn(
    asking pins: any PINChallengeResponder, _ reason: PINChallenge.Reason
  ) async throws(WalletAccessError) -> LoginResult {
    let pin = try await wallet.ask { () async throws(InteractionCancelled) in
      try await pins.pin(for: PINChallenge(reason: reason))
    }
    return try await wallet.open(wallet.logIn(pin: pin), by: .pin)
  }
}
