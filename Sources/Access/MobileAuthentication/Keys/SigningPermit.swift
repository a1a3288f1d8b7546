internal import Crypto
internal import DeviceAuthentication
internal import Octets

/// The right to one signature with the key of a registration. It exists only after the person was verified for this key,
/// and it cannot be copied, so that an authenticator never signs without a verification of its own (FIDO UAF Protocol
/// Specification 1.1, section 3.5.7).
struct SigningPermit: ~Copyable {
  /// The device verified its holder: it signs only with this proof. Nil after this library verified a PIN or a password.
  private var proof: CardholderVerification?
  private let keys: any ProtectedKeyStore
  private let key: RegistrationKey

  private init(_ key: RegistrationKey, in keys: any ProtectedKeyStore, proof: consuming CardholderVerification? = nil) {
    self.proof = proof
    self.keys = keys
    self.key = key
  }

  /// Signs bytes. The right is used up, also by an error.
  ///
  /// - Returns: ECDSA on P-256 with SHA-256, in DER; or the signature of an RSA key, inside an OCTET STRING.
  consuming func signature(of octets: [UInt8]) async throws(AuthenticatorError) -> [UInt8] {
    do throws(DeviceAuthenticationError) {
      if let rsaKey = key.rsaKey { return try await RegistrationRSAKey(open(rsaKey)).signature(of: octets) }
      let raw = try await signature(ofDigest: [UInt8](SHA256.hash(data: octets)))
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else {
        throw .unavailable(reason: "the device returned a signature of \(raw.count.bytes): 64 are required")
      }
      return [UInt8](signature.derRepresentation)
    } catch {
      throw AuthenticatorError(error)
    }
  }

  private consuming func signature(ofDigest digest: [UInt8]) async throws(DeviceAuthenticationError) -> [UInt8] {
    let identifier = key.record.identifier
    if let proof = proof.take() { return try await proof.sign(digest, with: identifier) }
    return try await keys.sign(digest, with: identifier)
  }

  private consuming func open(_ rsaKey: SealedSecret) async throws(DeviceAuthenticationError) -> Secret {
    if let proof = proof.take() { return try await rsaKey.open(for: .rsaKey, by: proof) }
    return try await rsaKey.open(for: .rsaKey, in: keys)
  }
}

// The only ways to a permit. Each verifies the person first.
extension SigningPermit {
  /// Verifies the holder of the device.
  ///
  /// - Parameter verifier: A verifier that is bound to the key.
  static func verifying(
    _ verifier: HolderVerifier, _ key: RegistrationKey, in keys: any ProtectedKeyStore, prompt: String,
    validity: Duration
  ) async throws(AuthenticatorError) -> SigningPermit {
    do throws(DeviceAuthenticationError) {
      let proof = try await verifier.verify(for: key.purpose, validity: validity, prompt: prompt)
      return SigningPermit(key, in: keys, proof: proof)
    } catch {
      throw AuthenticatorError(error)
    }
  }

  /// Verifies a PIN or a password.
  static func verifying(
    _ registration: RegistrationRecord, with authenticator: SecretAuthenticator, in keys: any ProtectedKeyStore,
    asking verifier: any SecretVerifier
  ) async throws(AuthenticatorError) -> SigningPermit {
    try await authenticator.verify(registration.keyID, registration.aaid, asking: verifier)
    return SigningPermit(registration.registrationKey, in: keys)
  }

  /// Enrols a PIN or a password for a new key: the person who chooses it is the one who is registered.
  static func enrolling(
    _ key: RegistrationKey, in keys: any ProtectedKeyStore,
    _ enrol: () async throws(AuthenticatorError) -> SecretProtection
  ) async throws(AuthenticatorError) -> EnrolledSecret {
    let protection = try await enrol()
    return EnrolledSecret(permit: SigningPermit(key, in: keys), protection: protection)
  }
}

/// A new PIN or password with the right to sign its registration.
struct EnrolledSecret: ~Copyable {
  let permit: SigningPermit
  let protection: SecretProtection

  consuming func takePermit() -> SigningPermit { permit }
}
