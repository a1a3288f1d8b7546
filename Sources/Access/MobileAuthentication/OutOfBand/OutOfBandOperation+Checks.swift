internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF

// What is checked before the token is used.
extension OutOfBandOperation {
  /// Checks what the operation needs on this device.
  ///
  /// - Throws: `.invalidArgument` without the options for the operation or with a wrong name of the device;
  ///   `.fido(.userNotEnrolled)` or `.fido(.noSuitableAuthenticator)` when no authenticator can be used.
  func check(
    _ client: MobileAuthenticationClient, _ connection: ServerConnection
  ) async throws(OperationError) {
    // Another server may have other paths: its requests are checked only after the redemption.
    switch UAFOperation.allCases.first(where: { operation.data.redeemURL.hasSuffix(AccessPath.redeem($0)) }) {
    case .registration?:
      let options = try accepted(onRegistration, "registrations")
      let run = RegistrationRun(client: client, connection: connection, options: options)
      try await run.checkDevice()
      try await run.checkAuthenticators()
    case .authentication?:
      try await check(try accepted(onAuthentication, "authentications"), client, connection)
    case .deregistration?, nil: break
    }
  }

  /// The options of operations of one kind.
  ///
  /// - Throws: `.invalidArgument` when the application accepts none.
  func accepted<Options>(_ options: Options?, _ operations: String) throws(OperationError) -> Options {
    guard let options else { throw .invalidArgument("the application does not accept \(operations)") }
    return options
  }

  private func check(
    _ options: Authentication.Options, _ client: MobileAuthenticationClient, _ connection: ServerConnection
  ) async throws(OperationError) {
    let registered = try await client.presentRecords().registrations.filter { record in
      record.account.server == connection.origin && record.state == .registered
    }
    guard !registered.isEmpty else {
      throw .noSuitableAuthenticator("no account of this device has an authenticator at \(connection.origin)")
    }
    guard let candidates = options.authenticatorSelector?.candidates else { return }
    let profile = client.configuration.profile
    guard registered.contains(where: { profile.kind(of: $0.aaid).map(candidates.contains) ?? false }) else {
      throw .noSuitableAuthenticator("the chosen authenticator is not registered at \(connection.origin)")
    }
  }
}

extension RegistrationRun {
  /// Checks that one of the authenticators that may be chosen can be used now.
  fileprivate func checkAuthenticators() async throws(OperationError) {
    let candidates = options.authenticatorSelector?.candidates
    let supported = await client.authenticators().filter { authenticator in
      (candidates?.contains(authenticator.kind) ?? true) && authenticator.isSupported
        && hasInteraction(authenticator.kind)
    }
    guard !supported.isEmpty else {
      throw .noSuitableAuthenticator("this device has no authenticator that can be registered")
    }
    guard supported.contains(where: { $0.isEnrolled || $0.kind.secretKind != nil }) else {
      let remedy = "enrol a finger or a face on the device, then redeem the message again"
      throw OperationError(AuthenticatorError.device(.biometricNotEnrolled(remedy)))
    }
  }
}
