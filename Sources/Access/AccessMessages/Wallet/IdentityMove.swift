public import Documents
internal import FIDOUAF
public import JOSE

/// The move of a device from the identity that it had at all its issuers to the one of a single issuer: the payload of the body
/// of `POST /wallet/v1/device/identity`, a JWS with ES256 that the new key signs.
///
/// The header `Device-Signature` of the request has the signature of the former key. Both name the audience, so that an issuer
/// that gets the request cannot send it to another one, and each names the other's key, the header by the digest of the body.
public struct IdentityMove: JSONMessage, Hashable {
  /// The new identifier of the device.
  public var deviceID: String
  /// The new public key of the device's signatures. The payload is signed with it.
  public var signatureKey: JSONWebKey
  /// The new public key for messages to the device.
  public var encryptionKey: JSONWebKey
  /// The former identifier of the device.
  public var formerDeviceID: String
  /// The former public key of the device's signatures.
  public var formerSignatureKey: JSONWebKey
  /// The origin that the client is connected to.
  public var audience: String

  /// The members of the payload.
  public static let fields = MessageTable(
    Self.init(deviceID:signatureKey:encryptionKey:formerDeviceID:formerSignatureKey:audience:),
    .text("deviceId", \.deviceID, DispatchTarget.deviceIDRange),
    .value("signatureKey", \.signatureKey),
    .value("encryptionKey", \.encryptionKey),
    .text("formerDeviceId", \.formerDeviceID, DispatchTarget.deviceIDRange),
    .value("formerSignatureKey", \.formerSignatureKey),
    .text("audience", \.audience, DeviceRequest.audienceRange))

  /// Creates a payload.
  public init(
    deviceID: String, signatureKey: JSONWebKey, encryptionKey: JSONWebKey, formerDeviceID: String,
    formerSignatureKey: JSONWebKey, audience: String
  ) {
    (self.deviceID, self.signatureKey, self.encryptionKey) = (deviceID, signatureKey, encryptionKey)
    (self.formerDeviceID, self.formerSignatureKey, self.audience) = (formerDeviceID, formerSignatureKey, audience)
  }
}
