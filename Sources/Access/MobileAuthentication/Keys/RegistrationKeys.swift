internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE
internal import Octets

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

  /// A verifier of the holder under rules, for a new key or for the key of a registration.
  func verifier(_ rules: ProtectedKeyRules, key: ProtectedKeyRecord? = nil) -> HolderVerifier {
    HolderVerifier(rules: rules, ports: device.ports, key: key, clock: device.clocks.monotonic, limits: device.limits)
  }

  /// Creates the key of a new registration.
  func create(_ rules: ProtectedKeyRules?) async throws(AuthenticatorError) -> ProtectedKeyRecord {
    do throws(DeviceAuthenticationError) {
      guard let rules else {
        return ProtectedKeyRecord(identifier: try await device.ports.keys.create(.signing), enrolmentDigest: [])
      }
      return try await verifier(rules).enrolKey(.signing)
    } catch {
      throw AuthenticatorError(error)
    }
  }

  /// The public key of a registration as SubjectPublicKeyInfo in DER, 91 octets.
  func publicKey(of key: ProtectedKeyRecord) async throws(AuthenticatorError) -> [UInt8] {
    do throws(DeviceAuthenticationError) {
      let point = try await device.ports.keys.publicKey(of: key.identifier)
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
