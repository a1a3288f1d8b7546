internal import DeviceAuthentication
internal import FIDOUAF
internal import Octets

/// A new key with the verification of the person and the assertion that states it.
struct NewRegistration: Sendable {
  /// What is sent, and the record that is confirmed afterwards.
  struct Prepared: Sendable {
    let record: RegistrationRecord
    let assertion: EncodedAssertion
  }

  let run: RegistrationRun
  let account: Account
  let authenticator: DeviceAuthenticator
  let algorithm: AuthenticatorAlgorithm

  private var client: MobileAuthenticationClient { run.client }

  /// Creates the key, verifies the person and signs. Nothing stays on the device after an error.
  func prepare(_ challenge: UAFExchange.Challenge) async throws(OperationError) -> Prepared {
    let rules = try RegistrationKeys.rules(
      of: authenticator.kind, isInvalidatedByNewBiometrics: run.options.invalidateOnNewOsBiometrics,
      acceptsPasscode: run.options.allowDevicePasscodeAsFallback)
    let key = try await converting(OperationError.init) { () async throws(AuthenticatorError) in
      try await client.keys.create(rules, algorithm)
    }
    let record = try await keep(key, challenge.applicationID)
    do throws(OperationError) {
      return try await converting(OperationError.init) { () async throws(AuthenticatorError) in
        let unsigned = RegistrationAssertion.unsigned(
          aaid: authenticator.aaid, finalChallengeHash: challenge.hash, keyID: record.keyID,
          publicKey: try await client.keys.publicKey(of: key), algorithm: algorithm)
        let signature = try await sign(unsigned.signedOctets, record, rules, challenge.limit)
        return Prepared(record: record, assertion: EncodedAssertion(unsigned.octets(signature: signature)))
      }
    } catch {
      try? await client.remove { $0.keyID == record.keyID && $0.aaid == record.aaid }
      throw error
    }
  }

  // The record is kept before the person is asked, so that the next start finds the key of a process that ended.
  private func keep(_ key: RegistrationKey, _ applicationID: String) async throws(OperationError)
    -> RegistrationRecord
  {
    guard let keyID = KeyID(client.random.octets(32)) else {
      preconditionFailure("the identifier of a key has 32 bytes")
    }
    let record = RegistrationRecord(
      account: account, aaid: authenticator.aaid, keyID: keyID, appID: applicationID, key: key.record,
      rsaKey: key.rsaKey,
      state: .registering,
      isInvalidatedByNewBiometrics: authenticator.kind.isBiometric && run.options.invalidateOnNewOsBiometrics,
      acceptsPasscode: authenticator.kind.isBiometric && run.options.allowDevicePasscodeAsFallback)
    do throws(OperationError) {
      let identity = try await newIdentity()
      try await client.change { records in
        records.registrations.append(record)
        if records.account(of: account.username) == nil { records.accounts.append(AccountRecord(account: account)) }
        records.nameUnknownDevice(run.options.deviceInformation?.name, at: account.server)
        if let identity { records.adopt(identity) }
      }
    } catch {
      await client.keys.delete([key.record.identifier])
      throw error
    }
    return record
  }

  /// The identity of the device at the server, when this is its first registration there.
  private func newIdentity() async throws(OperationError) -> DeviceRecord? {
    let records = try await client.presentRecords()
    guard records.device(at: account.server) == nil else { return nil }
    return try await client.signer.identity(at: account.server) { deviceID in
      guard let stated = run.options.deviceInformation else { return records.information(of: deviceID) }
      return DeviceInformation(name: stated.name, deviceId: deviceID, pushToken: stated.pushToken)
    }
  }

  private func sign(
    _ octets: [UInt8], _ record: RegistrationRecord, _ rules: ProtectedKeyRules?, _ limit: InteractionLimit
  ) async throws(AuthenticatorError) -> [UInt8] {
    guard let rules else { return try await signEnrolling(octets, record, limit) }
    let context = DevicePromptRequest(account: account, aaid: authenticator.aaid, purpose: .registration)
    let isBiometric = authenticator.kind.isBiometric
    let text = isBiometric ? run.options.biometricUserVerifier : run.options.devicePasscodeUserVerifier
    return try await client.sign(
      octets, under: rules, record.registrationKey, context, text.orDenied(), within: limit)
  }

  private func signEnrolling(
    _ octets: [UInt8], _ record: RegistrationRecord, _ limit: InteractionLimit
  ) async throws(AuthenticatorError) -> [UInt8] {
    let secret: SecretKind = authenticator.kind == .pin ? .pin : .password
    let enroller = try run.options.enrollers[secret].orDenied()
    let enrolled = try await SigningPermit.enrolling(record.registrationKey, in: client.device.ports.keys) {
      () async throws(AuthenticatorError) in
      try await client.secretAuthenticator(secret, within: limit).enrol(for: account, asking: enroller)
    }
    let protection = enrolled.protection
    try await keep(protection, of: record)
    return try await enrolled.takePermit().signature(of: octets)
  }

  private func keep(_ protection: SecretProtection, of record: RegistrationRecord) async throws(AuthenticatorError) {
    do throws(LocalDataError) {
      let isKept = try await client.store.change { records -> Bool in
        guard let index = records.index(of: record.keyID, record.aaid) else { return false }
        records.registrations[index].protection = protection
        return true
      }
      if isKept { return }
    } catch {
      await client.keys.delete([protection.verifier.sealingKey])
      throw .localData(error)
    }
    await client.keys.delete([protection.verifier.sealingKey])
    throw .cancelled
  }
}

extension LocalRecords {
  /// Names a device that a server knows of no account: one that only a wallet has used, or that has new keys.
  fileprivate mutating func nameUnknownDevice(_ name: String?, at server: String) {
    guard let name, accounts.allSatisfy({ $0.account.server != server || $0.dispatchTarget == nil }) else { return }
    nameDevice(name, at: server)
  }
}

extension Optional {
  /// The interaction; an authenticator without one cannot be used.
  func orDenied() throws(AuthenticatorError) -> Wrapped {
    guard let self else {
      throw .device(.unavailable(reason: "the application has no interaction for the authenticator"))
    }
    return self
  }
}
