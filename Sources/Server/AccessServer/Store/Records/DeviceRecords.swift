internal import AccessMessages

/// A device of an account, which operations are dispatched to: a dispatch target.
struct DeviceRecord: StoredRecord, Hashable {
  static let table = RecordTable("device", identity: ["id"])

  /// Whether a device may be used.
  enum State: String, StoredValue, Codable {
    /// The device may be used.
    case active
    /// An operator has deactivated the device.
    case inactive
  }

  /// The identifier, chosen by the server.
  var id: String
  /// The identifier for other systems, chosen by the server.
  var externalID: String
  /// The identifier that the client gave, the same for all accounts of one device, 1 to 128 characters.
  var deviceID: String
  /// The account.
  var account: String
  /// The name, unique in the account, 1 to 128 characters.
  var name: String
  /// Where push messages go; nil when they are disabled.
  var pushTarget: String?
  /// The dispatcher of the push messages, or nil.
  var dispatcher: String?
  /// The public key of the device's signatures: a JWK as text.
  var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  var encryptionKey: String
  /// Whether the device may be used.
  var state = State.active
  /// The version of the client that registered the device, or nil.
  var clientVersion: String?
  /// When it was registered.
  var createdAt: Int64
}

/// A request identifier that a device has used in a signed request.
struct UsedRequestRecord: StoredRecord, Hashable {
  static let table = RecordTable("usedRequest", identity: ["device", "requestID"])

  /// The identifier of the device.
  var device: String
  /// The request identifier, 1 to 64 characters.
  var requestID: String
  /// When the request is too old to be accepted, and the record is not needed any more.
  var expiresAt: Int64
}

/// An identifier that a device has used in a signature for a wallet. The device need not be linked with one.
struct UsedWalletRequestRecord: StoredRecord, Hashable {
  static let table = RecordTable("usedWalletRequest", identity: ["device", "requestID"])

  /// The identifier that the device gave.
  var device: String
  /// The request identifier, 1 to 64 characters.
  var requestID: String
  /// The address of a device without a wallet, as it is counted; nil for another device.
  var address: String?
  /// When the request is too old to be accepted, and the record is not needed any more.
  var expiresAt: Int64
}

/// A registered key of an authenticator.
struct CredentialRecord: StoredRecord, Hashable {
  static let table = RecordTable("credential", identity: ["aaid", "keyID"])
  /// A subquery for the account of the key with a model and an identifier, its two arguments.
  static let owner = "(SELECT account FROM \(table.quoted) WHERE aaid = ? AND keyID = ?)"

  /// What identifies a key.
  struct Key: Hashable {
    /// The model of the authenticator.
    let aaid: String
    /// The identifier of the key.
    let keyID: [UInt8]
  }

  /// The model of the authenticator, such as `F1D0#1001`.
  var aaid: String
  /// The identifier of the key, 32 to 2048 bytes.
  var keyID: [UInt8]
  /// The identifier for other systems, chosen by the server.
  var externalID: String
  /// The account.
  var account: String
  /// The identifier of the client's device, as in `DeviceRecord.deviceID`; nil when the client gave none.
  var deviceID: String?
  /// The encoded public key.
  var publicKey: [UInt8]
  /// The number of the encoding of the public key.
  var publicKeyEncoding: UInt16
  /// The number of the signature algorithm.
  var signatureAlgorithm: UInt16
  /// The version of the authenticator.
  var authenticatorVersion: UInt16
  /// The last signature counter.
  var signatureCounter: UInt32
  /// The registration counter.
  var registrationCounter: UInt32
  /// When it was registered.
  var createdAt: Int64
  /// When it last authenticated its user, or nil.
  var usedAt: Int64?

  /// What identifies the key.
  var key: Key { Key(aaid: aaid, keyID: keyID) }

  /// Returns whether it is a key of the client's device with an identifier.
  func isOf(device id: String) -> Bool { deviceID?.hasSameOctets(as: id) == true }
}
