internal import AccessMessages

/// A device of an account, which operations are dispatched to: a dispatch target.
package struct DispatchTargetRecord: StoredRecord, Hashable {
  package static let table = RecordTable("device", identity: ["id"])

  /// Whether a device may be used.
  package enum State: String, StoredValue, Codable {
    /// The device may be used.
    case active
    /// An operator has deactivated the device.
    case inactive
  }

  /// The identifier, chosen by the server.
  package var id: String
  /// The identifier for other systems, chosen by the server.
  package var externalID: String
  /// The identifier that the client gave, the same for all accounts of one device, 1 to 128 characters.
  package var deviceID: String
  /// The account.
  package var account: String
  /// The name, unique in the account, 1 to 128 characters.
  package var name: String
  /// Where push messages go; nil when they are disabled.
  package var pushTarget: String?
  /// The dispatcher of the push messages, or nil.
  package var dispatcher: String?
  /// The public key of the device's signatures: a JWK as text.
  package var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  package var encryptionKey: String
  /// Whether the device may be used.
  package var state = State.active
  /// The version of the client that registered the device, or nil.
  package var clientVersion: String?
  /// When it was registered.
  package var createdAt: Int64

  /// Creates a record.
  package init(
    id: String, externalID: String, deviceID: String, account: String, name: String, pushTarget: String? = nil,
    dispatcher: String? = nil, signatureKey: String, encryptionKey: String, state: State = .active,
    clientVersion: String? = nil, createdAt: Int64
  ) {
    (self.id, self.externalID, self.deviceID, self.account) = (id, externalID, deviceID, account)
    (self.name, self.pushTarget, self.dispatcher) = (name, pushTarget, dispatcher)
    (self.signatureKey, self.encryptionKey, self.state) = (signatureKey, encryptionKey, state)
    (self.clientVersion, self.createdAt) = (clientVersion, createdAt)
  }
}

/// A request identifier that a device has used in a signed request.
package struct UsedRequestRecord: StoredRecord, Hashable {
  package static let table = RecordTable("usedRequest", identity: ["device", "requestID"])

  /// The identifier of the device.
  package var device: String
  /// The request identifier, 1 to 64 characters.
  package var requestID: String
  /// When the request is too old to be accepted, and the record is not needed any more.
  package var expiresAt: Int64

  /// Creates a record.
  package init(device: String, requestID: String, expiresAt: Int64) {
    (self.device, self.requestID, self.expiresAt) = (device, requestID, expiresAt)
  }
}

/// An identifier that a device has used in a signature for a wallet. The device need not be linked with one.
package struct UsedWalletRequestRecord: StoredRecord, Hashable {
  package static let table = RecordTable("usedWalletRequest", identity: ["device", "requestID"])

  /// The identifier that the device gave.
  package var device: String
  /// The request identifier, 1 to 64 characters.
  package var requestID: String
  /// The address of a device without a wallet, as it is counted; nil for another device.
  package var address: String?
  /// When the request is too old to be accepted, and the record is not needed any more.
  package var expiresAt: Int64

  /// Creates a record.
  package init(device: String, requestID: String, address: String? = nil, expiresAt: Int64) {
    (self.device, self.requestID, self.address) = (device, requestID, address)
    self.expiresAt = expiresAt
  }
}

/// A registered key of an authenticator.
package struct CredentialRecord: StoredRecord, Hashable {
  package static let table = RecordTable("credential", identity: ["aaid", "keyID"])
  /// A subquery for the account of the key with a model and an identifier, its two arguments.
  package static let owner = "(SELECT account FROM \(table.quoted) WHERE aaid = ? AND keyID = ?)"

  /// What identifies a key.
  package struct Key: Hashable {
    /// The model of the authenticator.
    package let aaid: String
    /// The identifier of the key.
    package let keyID: [UInt8]

    /// Creates the identification of a key.
    package init(aaid: String, keyID: [UInt8]) { (self.aaid, self.keyID) = (aaid, keyID) }
  }

  /// The model of the authenticator, such as `F1D0#1001`.
  package var aaid: String
  /// The identifier of the key, 32 to 2048 bytes.
  package var keyID: [UInt8]
  /// The identifier for other systems, chosen by the server.
  package var externalID: String
  /// The account.
  package var account: String
  /// The identifier of the client's device, as in `DispatchTargetRecord.deviceID`; nil when the client gave none.
  package var deviceID: String?
  /// The encoded public key.
  package var publicKey: [UInt8]
  /// The number of the encoding of the public key.
  package var publicKeyEncoding: UInt16
  /// The number of the signature algorithm.
  package var signatureAlgorithm: UInt16
  /// The version of the authenticator.
  package var authenticatorVersion: UInt16
  /// The last signature counter.
  package var signatureCounter: UInt32
  /// The registration counter.
  package var registrationCounter: UInt32
  /// When it was registered.
  package var createdAt: Int64
  /// When it last authenticated its user, or nil.
  package var usedAt: Int64?

  /// Creates a record.
  package init(
    aaid: String, keyID: [UInt8], externalID: String, account: String, deviceID: String? = nil, publicKey: [UInt8],
    publicKeyEncoding: UInt16, signatureAlgorithm: UInt16, authenticatorVersion: UInt16, signatureCounter: UInt32,
    registrationCounter: UInt32, createdAt: Int64, usedAt: Int64? = nil
  ) {
    (self.aaid, self.keyID, self.externalID, self.account) = (aaid, keyID, externalID, account)
    (self.deviceID, self.publicKey) = (deviceID, publicKey)
    (self.publicKeyEncoding, self.signatureAlgorithm) = (publicKeyEncoding, signatureAlgorithm)
    (self.authenticatorVersion, self.signatureCounter) = (authenticatorVersion, signatureCounter)
    (self.registrationCounter, self.createdAt) = (registrationCounter, createdAt)
    self.usedAt = usedAt
  }

  /// What identifies the key.
  package var key: Key { Key(aaid: aaid, keyID: keyID) }

  /// Returns whether it is a key of the client's device with an identifier.
  package func isOf(device id: String) -> Bool { deviceID?.hasSameOctets(as: id) == true }
}
