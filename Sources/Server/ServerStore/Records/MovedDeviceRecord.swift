/// A device that has moved to another identity. The server accepts no signature with its former key.
package struct MovedDeviceRecord: StoredRecord, Hashable {
  package static let table = RecordTable("movedDevice", identity: ["formerKey"])

  /// The digest of the former public key.
  package var formerKey: TokenDigest
  /// The former identifier of the device.
  package var formerDeviceID: String
  /// The identifier of the device since.
  package var deviceID: String
  /// The digest of the public key since.
  package var key: TokenDigest
  /// When it moved, in milliseconds since 1970-01-01 00:00:00 UTC.
  package var createdAt: Int64

  /// Creates a record.
  package init(formerKey: TokenDigest, formerDeviceID: String, deviceID: String, key: TokenDigest, createdAt: Int64) {
    (self.formerKey, self.formerDeviceID, self.deviceID) = (formerKey, formerDeviceID, deviceID)
    (self.key, self.createdAt) = (key, createdAt)
  }
}

extension AccessTransaction {
  /// The move of a device with a former public key.
  ///
  /// - Parameter key: The digest of the key.
  package func movedDevice(formerKey key: TokenDigest) throws(AccessError) -> MovedDeviceRecord? {
    try record("formerKey", key)
  }
  /// The deactivations of a device, for all users.
  package func deactivations(ofDevice deviceID: String) throws(AccessError) -> [DeactivationRecord] {
    try list("deviceID", deviceID)
  }
  /// The dispatch targets of a device, in all accounts.
  package func devices(withDeviceID deviceID: String) throws(AccessError) -> [DispatchTargetRecord] {
    try list("deviceID", deviceID)
  }
}
