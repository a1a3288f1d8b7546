internal import AccessMessages
internal import FIDOUAF
internal import JSON
internal import ServerStore

extension OperationRules {
  /// The credentials of a device, for the device itself.
  func credentials(ofDevice deviceID: String, _ signature: String?) throws(AccessError) -> (
    DispatchTargetRecord, DeviceCredentials
  ) {
    let device = try signer(of: signature, deviceID, .credentials)
    let own = try transaction.credentials(of: device.account).filter { $0.isOf(device: deviceID) }
    return (device, DeviceCredentials(own.compactMap(\.entry)))
  }

  /// The operations that were dispatched to a device and are neither redeemed nor expired, for the device itself.
  func pendingOperations(ofDevice deviceID: String, _ signature: String?) throws(AccessError) -> (
    DispatchTargetRecord, PendingOperations
  ) {
    let device = try signer(of: signature, deviceID, .operations)
    let waiting = try transaction.outOfBandTokens(of: device.id).filter { $0.redeemedAt == nil && $0.expiresAt > now }
    var entries: [PendingOperations.Entry] = []
    for token in waiting {
      guard let text = token.payload else { continue }
      let pending = try PendingPayload(text: text)
      entries.append(
        PendingOperations.Entry(
          createdAt: token.createdAt, expiresAt: token.expiresAt, channel: token.channel, payload: pending.payload,
          information: pending.information?.compact))
    }
    return (device, PendingOperations(entries))
  }

  private func signer(
    of signature: String?, _ deviceID: String, _ purpose: DeviceRequest.Purpose
  ) throws(AccessError) -> DispatchTargetRecord {
    guard let signature else {
      throw .refused(.unauthorized, "the header \(DeviceRequest.headerName) is required")
    }
    return try verifiedRequest(signature, for: purpose) { $0.deviceID.hasSameOctets(as: deviceID) }.0
  }
}

extension CredentialRecord {
  /// The credential as a client sees it; nil when it has the wrong form in the database.
  var entry: DeviceCredentials.Entry? {
    guard let aaid = AAID(aaid), let keyID = KeyID(keyID) else { return nil }
    return DeviceCredentials.Entry(
      userName: account, aaid: aaid, keyID: keyID, externalID: externalID, createdAt: createdAt)
  }
}
