internal import Crypto
public import Documents
public import JOSE
internal import JSON

/// The payload of the header `Device-Signature` of a request to a path of `WalletPath`: a JWS with ES256, signed by the
/// device.
///
/// Its protected header has the member `deviceId` and, as long as the server does not know the device, `jwk`, the public
/// key. The server takes the registered key of a device that it knows. It accepts each identifier of a device once, and a
/// time within `maximumClockSkew` of its own.
public struct DeviceSignature: JSONMessage, Hashable {
  /// The name of the header.
  public static let headerName = DeviceRequest.headerName
  /// The largest difference between the clocks of device and server, in milliseconds: 5 minutes.
  public static let maximumClockSkew = DeviceRequest.maximumClockSkew
  /// The largest JWS that is read, in bytes: 16 KiB.
  public static let maximumCount = 16_384

  /// The method in upper case, such as `POST`.
  public var method: String
  /// The path and the query as they are sent, such as `/wallet/v1/device`.
  public var path: String
  /// The SHA-256 of the body, 32 bytes. A request without a body has the digest of no bytes.
  public var bodyDigest: [UInt8]
  /// When the request was made, in milliseconds since 1970.
  public var issuedAt: Int64
  /// 128 random bits in base64url, 22 characters, which the device never uses again.
  public var id: String
  /// The origin that the client is connected to, such as `https://example.org:8443`: a server accepts the signature only for
  /// an origin of its own. Nil in the signatures of older clients.
  public var audience: String?

  /// The members of the payload.
  public static let fields = MessageTable(
    Self.init(method:path:bodyDigest:issuedAt:id:audience:),
    .text("method", \.method, 1...16),
    .text("path", \.path, 1...2_048),
    .octets("bodySHA256", \.bodyDigest, 32...32),
    .number("issuedAt", \.issuedAt, 0...Int(Int64.max / 2)),
    .text("id", \.id, 16...64),
    .text("audience", \.audience, DeviceRequest.audienceRange))
}

extension DeviceSignature {
  /// Creates a payload for a request.
  ///
  /// - Parameters:
  ///   - id: 16 to 64 characters.
  ///   - audience: The origin that the client is connected to; nil only to describe the signature of an older client.
  public init(method: String, path: String, body: [UInt8], issuedAt: Int64, id: String, audience: String?) {
    self.init(
      method: method, path: path, bodyDigest: [UInt8](SHA256.hash(data: body)), issuedAt: issuedAt, id: id,
      audience: audience)
  }

  /// The JWS before its signature, for the key of a device whose signature takes an asynchronous call.
  ///
  /// - Parameters:
  ///   - publicKey: The public half of the key that will sign.
  ///   - statesKey: Whether the protected header has the key: true as long as the device is not linked with a wallet.
  /// - Throws: `JOSEError` with code `invalidKey` for a key that must not sign.
  public func unsigned(
    deviceID: String, publicKey: JSONWebKey, statesKey: Bool
  ) throws(JOSEError) -> UnsignedJSONWebSignature {
    var members = [("deviceId", JSONValue(deviceID))]
    if statesKey { members.append(("jwk", publicKey.json)) }
    return try UnsignedJSONWebSignature(Array(json.compact.utf8), for: publicKey, members: members)
  }
}
