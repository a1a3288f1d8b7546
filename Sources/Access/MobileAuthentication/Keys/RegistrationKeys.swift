internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE

/// The keys of registrations: one new signing key of the device for each.
struct RegistrationKeys: Sendable {
  let device: AuthenticationDevice

  /// The rules of the key of an authenticator that the device checks; nil for a PIN and a password.
  ///
  /// - Throws: `.invalidArgument` when a key that is bound to the enrolled fingers or faces is to accept the passcode.
  static func rules(
    of kind: AuthenticatorKind, isInvalidatedByNewBiometrics: Bool, acceptsPasscode: Bool
  ) throws(OperationError) -> ProtectedKeyRules? {
    switch kind {
    case .pin, .password: return nil
    case .devicePasscode: return .uafPasscode
    case .finger, .face:
      let rules = ProtectedKeyRules.uafBiometric(
        isInvalidatedByNewBiometrics: isInvalidatedByNewBiometrics, acceptsPasscode: acceptsPasscode)
      guard let rules else { throw .invalidArgument(Self.contradiction) }
      return rules
    }
  }

  static let contradiction =
    "invalidateOnNewOsBiometrics and allowDevicePasscodeAsFallback must not both be true"

  /// A verifier of the holder under rules, for a new key or for the key of a registration. No prompt of the device stays open
  /// beyond the limit of the operation.
  func verifier(
    _ rules: ProtectedKeyRules, key: ProtectedKeyRecord? = nil, within limit: InteractionLimit? = nil
  ) -> HolderVerifier {
    let prompt = min(device.limits.promptDuration, max(limit?.rest ?? device.limits.promptDuration, .milliseconds(1)))
    let limits = VerificationLimits(
      biometricAttempts: device.limits.biometricAttempts, passcodeAttempts: device.limits.passcodeAttempts,
      promptDuration: prompt)
    return HolderVerifier(rules: rules, ports: device.ports, key: key, clock: device.clocks.monotonic, limits: limits)
  }

  /// Creates the key of a new registration.
  func create(
    _ rules: ProtectedKeyRules?, _ algorithm: AuthenticatorAlgorithm
  ) async throws(AuthenticatorError) -> RegistrationKey {
    do throws(DeviceAuthenticationError) {
      guard algorithm == .rsa else { return RegistrationKey(record: try await create(.signing, rules), rsaKey: nil) }
      let key = try await RegistrationRSAKey.create()
      let record = try await create(.sealing, rules)
      do throws(DeviceAuthenticationError) {
        let sealed = try await SealedSecret.seal(
          key.octets, for: .rsaKey, with: record.identifier, in: device.ports.keys)
        return RegistrationKey(record: record, rsaKey: sealed)
      } catch {
        await delete([record.identifier])
        throw error
      }
    } catch {
      throw AuthenticatorError(error)
    }
  }

  private func create(
    _ kind: ProtectedKeyKind, _ rules: ProtectedKeyRules?
  ) async throws(DeviceAuthenticationError) -> ProtectedKeyRecord {
    if let rules { return try await verifier(rules).enrolKey(kind) }
    return ProtectedKeyRecord(identifier: try await device.ports.keys.create(kind), enrolmentDigest: [])
  }

  /// The public key of a registration as SubjectPublicKeyInfo in DER: 91 bytes on P-256, 294 with RSA.
  func publicKey(of key: RegistrationKey) async throws(AuthenticatorError) -> [UInt8] {
    do throws(DeviceAuthenticationError) {
      if let rsaKey = key.rsaKey {
        return try RegistrationRSAKey(await rsaKey.open(for: .rsaKey, in: device.ports.keys)).publicKey
      }
      let point = try await device.ports.keys.publicKey(of: key.record.identifier)
      guard let publicKey = try? JSONWebKey(x963: point) else {
        throw .unavailable(reason: "the device returned a public key that is not a point of P-256")
      }
      return publicKey.subjectPublicKeyInfo
    } catch {
      throw AuthenticatorError(error)
    }
  }

  /// Whether the key of a registration still exists. A key store that does not respond counts as existing.
  func exists(_ registration: RegistrationRecord) async -> Bool {
    guard let access = try? await device.ports.keys.access(registration.key.identifier) else { return true }
    return access == .usable
  }

  /// Deletes keys. A key that cannot be deleted stays without a record, and nothing can use it.
  func delete(_ keys: [KeyIdentifier]) async {
    for key in keys { try? await device.ports.keys.delete(key) }
  }
}
