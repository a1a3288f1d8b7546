internal import AccessMessages
internal import FIDOUAF
internal import JSON

extension Rules {
  /// The credentials of a device, for the device itself.
  func credentials(ofDevice deviceID: String, _ signature: String?) throws -> (DeviceRecord, DeviceCredentials) {
    let device = try signer(of: signature, deviceID, .credentials)
    let own = try transaction.credentials(of: device.account).filter {
      $0.deviceID?.hasSameOctets(as: deviceID) == true
    }
    let entries = own.compactMap { credential -> DeviceCredentials.Entry? in
      guard let aaid = AAID(credential.aaid), let keyID = KeyID(credential.keyID) else { return nil }
      return DeviceCredentials.Entry(
        userName: credential.account, aaid: aaid, keyID: keyID, externalID: credential.externalID,
        createdAt: credential.createdAt)
    }
    return (device, DeviceCredentials(entries))
  }

  /// The operations that were dispatched to a device and are neither redeemed nor expired, for the device itself.
  func pendingOperations(ofDevice deviceID: String, _ signature: String?) throws -> (DeviceRecord, PendingOperations) {
    let device = try signer(of: signature, deviceID, .operations)
    let waiting = try transaction.outOfBandTokens(of: device.id).filter { $0.redeemedAt == nil && $0.expiresAt > now }
    let entries = try waiting.compactMap { token throws(AccessStoreError) -> PendingOperations.Entry? in
      guard let text = token.payload else { return nil }
      let pending = try PendingPayload(text: text)
      return PendingOperations.Entry(
        createdAt: token.createdAt, expiresAt: token.expiresAt, channel: token.channel, payload: pending.payload,
        information: pending.information?.compact)
    }
    return (device, PendingOperations(entries))
  }

  private func signer(
    of signature: String?, _ deviceID: String, _ purpose: DeviceRequest.Purpose
  ) throws -> DeviceRecord {
    guard let signature else {
      throw AccessFailure(.unauthorized, "the header \(DeviceRequest.headerName) is required")
    }
    return try verifiedRequest(signature, for: purpose) { $0.deviceID.hasSameOctets(as: deviceID) }.0
  }
}
