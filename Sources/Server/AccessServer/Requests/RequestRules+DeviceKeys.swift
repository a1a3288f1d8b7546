internal import AccessMessages
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import ServerStore

extension RequestRules {
  /// Refuses a key with which a device signed before it moved to another identity.
  func refuseMoved(_ key: JSONWebKey) throws(AccessError) {
    guard try transaction.movedDevice(formerKey: key.digest) == nil else { throw .moved }
  }

  /// Refuses what a device may have signed before the database was restored: its identifier may have been used after the copy
  /// was made. The clock of a device may be ahead by `DeviceRequest.maximumClockSkew`.
  ///
  /// - Throws: A refusal with code `replay`.
  func checkRestored(_ moment: Int64) throws(AccessError) {
    guard let restoredAt = environment.restoredAt, moment < restoredAt + DeviceRequest.maximumClockSkew else { return }
    throw .refused(
      .replay, "the server was restored less than 5 minutes before the device signed the request: send a new one later")
  }
}

extension AccessError {
  /// The device has another identity since.
  static let moved = refused(
    .unauthorized, "the device has moved to another identity, and its former key is not accepted any more")
}

extension JSONWebKey {
  /// Checks that messages can be encrypted for the key of a device.
  ///
  /// - Throws: A refusal with code `unusableKey`.
  func requireRecipient() throws(AccessError) {
    do throws(JOSEError) {
      try JSONWebEncryption.checkRecipient(self, .ecdhESA256KW)
    } catch {
      throw .refused(.unusableKey, "the encryption key of the device cannot be used: \(error)")
    }
  }

  /// The key as it is stored and compared: the point alone, since a client may state its identifier once and not again.
  var storedPoint: String {
    let json: JSONValue = ["kty": "EC", "crv": "P-256", "x": JSONValue(x.base64URL), "y": JSONValue(y.base64URL)]
    return json.compact
  }

  /// The SHA-256 digest of the point.
  var digest: TokenDigest { TokenDigest(of: storedPoint) }

  func hasSamePoint(as other: JSONWebKey) -> Bool { x == other.x && y == other.y }
}
