internal import Crypto
public import DeviceAuthentication
public import Octets

/// What a sealed secret is for. A secret that is sealed for one purpose cannot be opened for another.
public enum SealingPurpose: String, Sendable, CaseIterable {
  /// The salted hash of a PIN.
  case pinHash = "pin"
  /// The salted hash of a password.
  case passwordHash = "password"
  /// The device's private key for JWE.
  case encryptionKey = "encryption key"
  /// The wrong entries of a PIN or a password.
  case attempts
  /// The RSA key of a registration.
  case rsaKey = "RSA key"
  /// The token of a wallet's session.
  case walletSession = "wallet session"
  /// The token of a wallet's biometric login.
  case biometricToken = "biometric token"
  /// The nonce of an enrolment whose login has not succeeded yet.
  case enrolmentNonce = "enrolment nonce"
}

extension SealedSecret {
  /// Encrypts a secret under a sealing key of the device.
  ///
  /// - Throws: The error of the key store.
  public static func seal(
    _ secret: borrowing Secret, for purpose: SealingPurpose, with sealingKey: KeyIdentifier,
    in keys: any ProtectedKeyStore
  ) async throws(DeviceAuthenticationError) -> SealedSecret {
    let key = purpose.key(from: try await keys.unseal(sealingKey))
    return SealedSecret(sealingKey: sealingKey, box: try purpose.sealed(secret, with: key))
  }

  /// Decrypts the secret.
  ///
  /// - Throws: The error of the key store; `.unavailable` when the bytes were changed.
  public func open(
    for purpose: SealingPurpose, in keys: any ProtectedKeyStore
  ) async throws(DeviceAuthenticationError) -> Secret {
    try open(for: purpose, with: purpose.key(from: try await keys.unseal(sealingKey)))
  }

  /// Decrypts the secret with the proof that the holder of the device was verified. The proof is used up, also by an error.
  ///
  /// - Parameter proof: A verification for unsealing with the sealing key. Another one traps.
  /// - Throws: The error of the key store; `.unavailable` when the bytes were changed.
  public func open(
    for purpose: SealingPurpose, by proof: consuming CardholderVerification
  ) async throws(DeviceAuthenticationError) -> Secret {
    try open(for: purpose, with: purpose.key(from: try await proof.unseal(sealingKey)))
  }

  func open(for purpose: SealingPurpose, with key: SymmetricKey) throws(DeviceAuthenticationError) -> Secret {
    guard let sealed = try? AES.GCM.SealedBox(combined: box),
      let opened = try? AES.GCM.open(sealed, using: key, authenticating: purpose.label), !opened.isEmpty
    else { throw .unavailable(reason: "the \(purpose.rawValue) cannot be decrypted: the stored bytes were changed") }
    var octets = [UInt8](opened)
    return Secret(wiping: &octets)
  }
}

extension SealingPurpose {
  fileprivate var label: [UInt8] { Array("contactless mobile authentication, \(rawValue)".utf8) }

  /// Derives the key for this purpose from the bytes of a sealing key.
  func key(from material: borrowing Secret) -> SymmetricKey {
    material.withExposedOctets { octets in
      octets.withWipedCopy {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: $0), info: label, outputByteCount: 32)
      }
    }
  }

  func sealed(_ secret: borrowing Secret, with key: SymmetricKey) throws(DeviceAuthenticationError) -> [UInt8] {
    let sealed = secret.withExposedOctets { octets in
      octets.withWipedCopy { try? AES.GCM.seal($0, using: key, authenticating: label) }
    }
    guard let box = sealed?.combined else { throw .unavailable(reason: "the \(rawValue) cannot be encrypted") }
    return [UInt8](box)
  }
}
