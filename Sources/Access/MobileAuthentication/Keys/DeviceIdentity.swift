internal import Crypto
internal import DeviceAuthentication
internal import FIDOUAF
internal import JOSE
internal import Octets

/// The keys with which a device proves its requests and reads messages for it: one signing key of the device for JWS, and
/// one key for JWE, which the device seals.
struct DeviceIdentity: Sendable {
  let keys: any ProtectedKeyStore

  /// Creates the identity of a device.
  func create(_ information: DeviceInformation) async throws(DeviceAuthenticationError) -> DeviceRecord {
    let sealing = try await keys.create(.sealing)
    do throws(DeviceAuthenticationError) {
      var octets = [UInt8](P256.KeyAgreement.PrivateKey().rawRepresentation)
      let sealed = try await SealedSecret.seal(
        Secret(wiping: &octets), for: .encryptionKey, with: sealing, in: keys)
      return DeviceRecord(
        information: information, signatureKey: try await keys.create(.signing), encryptionKey: sealed)
    } catch {
      try? await keys.delete(sealing)
      throw error
    }
  }

  /// The public key of the device's signatures.
  func signaturePublicKey(of record: DeviceRecord) async throws(DeviceAuthenticationError) -> JSONWebKey {
    let point = try await keys.publicKey(of: record.signatureKey)
    guard let key = try? JSONWebKey(x963: point, keyID: record.information.deviceId, use: .signature) else {
      throw .unavailable(reason: "the device returned a public key that is not a point of P-256")
    }
    return key
  }

  /// Signs a payload as JWS.
  func signed(_ payload: [UInt8], by record: DeviceRecord) async throws(DeviceAuthenticationError) -> String {
    let publicKey = try await signaturePublicKey(of: record)
    guard let unsigned = try? UnsignedJSONWebSignature(payload, for: publicKey) else {
      throw .unavailable(reason: "the key of the device must not sign")
    }
    let digest = [UInt8](SHA256.hash(data: unsigned.signedOctets))
    return unsigned.compact(signature: try await keys.sign(digest, with: record.signatureKey))
  }

  /// The key for messages to the device.
  func encryptionKey(of record: DeviceRecord) async throws(DeviceAuthenticationError) -> SoftwareKey {
    let scalar = try await record.encryptionKey.open(for: .encryptionKey, in: keys)
    guard let key = try? SoftwareKey(scalar: scalar, keyID: record.information.deviceId, use: .encryption) else {
      throw .unavailable(reason: "the sealed bytes are not a private key of P-256")
    }
    return key
  }

  /// All keys of an identity.
  static func keys(of record: DeviceRecord) -> [KeyIdentifier] {
    [record.signatureKey, record.encryptionKey.sealingKey]
  }
}
