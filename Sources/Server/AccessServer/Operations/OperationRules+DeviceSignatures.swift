internal import AccessMessages
internal import JOSE
internal import JSON
internal import ServerStore

extension OperationRules {
  /// Verifies the signature of a device and uses its request identifier up.
  ///
  /// - Parameters:
  ///   - text: The JWS.
  ///   - purpose: What the request is for. Signatures without a purpose are accepted for `credentials` and `change` only.
  ///   - isMeant: Whether the request is about this device.
  /// - Throws: A refusal: `malformed`, `unauthorized` for a wrong signature, another device or another server, `clockSkew`,
  ///   `replay`, `forbidden` for a deactivated device.
  func verifiedRequest(
    _ text: String, for purpose: DeviceRequest.Purpose, where isMeant: (DispatchTargetRecord) -> Bool
  ) throws(AccessError) -> (DispatchTargetRecord, DeviceRequest) {
    let claimed = try Self.unverifiedRequest(text)
    guard let device = try transaction.device(claimed.targetID), isMeant(device),
      let request = try Self.verify(text, device), Self.permits(request.purpose, purpose)
    else {
      throw .refused(
        .unauthorized, "the signature is not that of a device of this server for the request: register again")
    }
    try checkAudience(request.audience)
    guard abs(request.createdAt - now) <= DeviceRequest.maximumClockSkew else {
      throw .refused(.clockSkew, "the clocks of device and server differ by more than 5 minutes")
    }
    try checkRestored(request.createdAt)
    try checkCount(of: .usedRequests(device: device.id), limit: RecordLimits.usedIdentifiers)
    let expiresAt = request.createdAt + DeviceRequest.maximumClockSkew + 1
    let used = UsedRequestRecord(device: device.id, requestID: request.requestID, expiresAt: expiresAt)
    guard try transaction.addOnce(used) else {
      throw .refused(.replay, "the device has used the request identifier before")
    }
    guard device.state == .active else { throw .refused(.forbidden, "the device is deactivated") }
    return (device, request)
  }

  // The target named in the payload selects the key; nothing else of the payload counts before the signature is verified.
  private static func unverifiedRequest(_ text: String) throws(AccessError) -> DeviceRequest {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= maximumSignatureCount else {
      throw .refused(.malformed, "the signature of the device is not a JWS of three parts and at most 16 KiB")
    }
    return try request(in: parts[1])
  }

  private static func verify(_ text: String, _ device: DispatchTargetRecord) throws(AccessError) -> DeviceRequest? {
    guard let key = try? JSONWebKey(JSONValue(parsing: device.signatureKey)),
      let signature = try? JSONWebSignature(verifying: text, with: key)
    else { return nil }
    return try request(in: signature.payload.base64URL[...])
  }

  private static func request(in part: Substring) throws(AccessError) -> DeviceRequest {
    do {
      return try DeviceRequest(JSONValue(parsing: [UInt8](base64URL: part)))
    } catch {
      throw .refused(.malformed, "the payload of the signature: \(error)")
    }
  }

  private static func permits(_ signed: DeviceRequest.Purpose?, _ purpose: DeviceRequest.Purpose) -> Bool {
    signed == purpose || signed == nil && [.credentials, .change].contains(purpose)
  }

  /// The largest JWS of a device that is read, in bytes.
  static let maximumSignatureCount = 16_384
}
