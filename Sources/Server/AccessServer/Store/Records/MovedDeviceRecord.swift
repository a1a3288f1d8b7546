/// A device that has moved to another identity. The server accepts no signature with its former key.
struct MovedDeviceRecord: StoredRecord, Hashable {
  static let table = RecordTable("movedDevice", identity: ["formerKey"])

  /// The digest of the former public key.
  var formerKey: TokenDigest
  /// The former identifier of the device.
  var formerDeviceID: String
  /// The identifier of the device since.
  var deviceID: String
  /// The digest of the public key since.
  var key: TokenDigest
  /// When it moved, in milliseconds since 1970-01-01 00:00:00 UTC.
  var createdAt: Int64
}

extension AccessTransaction {
  /// The move of a device with a former public key.
  ///
  /// - Parameter key: The digest of the key.
  func movedDevice(formerKey key: TokenDigest) throws(AccessError) -> MovedDeviceRecord? {
    try record("formerKey", key)
  }
  /// The deactivations of a device, for all users.
  func deactivations(ofDevice deviceID: String) throws(AccessError) -> [DeactivationRecord] {
    try list("deviceID", deviceID)
  }
  /// The dispatch targets of a device, in all accounts.
  func devices(withDeviceID deviceID: String) throws(AccessError) -> [DeviceRecord] { try list("deviceID", deviceID) }
}
