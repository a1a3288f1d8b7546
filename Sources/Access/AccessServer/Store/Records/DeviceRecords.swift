/// A device of an account, which operations are dispatched to: a dispatch target.
public struct DeviceRecord: Hashable, Sendable {
  /// Whether a device may be used.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// The device may be used.
    case active
    /// An operator has deactivated the device.
    case inactive
  }

  /// The identifier, chosen by the server.
  public var id: String
  /// The identifier for other systems, chosen by the server.
  public var externalID: String
  /// The identifier that the client gave, the same for all accounts of one device, 1 to 128 characters.
  public var deviceID: String
  /// The account.
  public var account: String
  /// The name, unique in the account, 1 to 128 characters.
  public var name: String
  /// Where push messages go; nil when they are disabled.
  public var pushTarget: String?
  /// The dispatcher of the push messages, or nil.
  public var dispatcher: String?
  /// The public key of the device's signatures: a JWK as text.
  public var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  public var encryptionKey: String
  /// Whether the device may be used.
  public var state: State
  /// The version of the client that registered the device, or nil.
  public var clientVersion: String?
  /// When it was registered.
  public var createdAt: Int64

  /// Creates a record.
  public init(
    id: String, externalID: String, deviceID: String, account: String, name: String, pushTarget: String? = nil,
    dispatcher: String? = nil, signatureKey: String, encryptionKey: String, state: State = .active,
    clientVersion: String? = nil, createdAt: Int64
  ) {
    (self.id, self.externalID, self.deviceID) = (id, externalID, deviceID)
    (self.account, self.name) = (account, name)
    (self.pushTarget, self.dispatcher) = (pushTarget, dispatcher)
    (self.signatureKey, self.encryptionKey) = (signatureKey, encryptionKey)
    (self.state, self.clientVersion, self.createdAt) = (state, clientVersion, createdAt)
  }
}

/// A request identifier that a device has used in a signed request.
public struct UsedRequestRecord: Hashable, Sendable {
  /// The identifier of the device.
  public var device: String
  /// The request identifier, 1 to 64 characters.
  public var requestID: String
  /// The address of a device without a wallet, as it is counted; nil for another device.
  public var address: String?
  /// When the request is too old to be accepted, and the record is not needed any more.
  public var expiresAt: Int64

  /// Creates a record.
  public init(device: String, requestID: String, address: String? = nil, expiresAt: Int64) {
    (self.device, self.requestID, self.address, self.expiresAt) = (device, requestID, address, expiresAt)
  }
}

/// A registered key of an authenticator.
public struct CredentialRecord: Hashable, Sendable {
  /// The model of the authenticator, such as `F1D0#1001`.
  public var aaid: String
  /// The identifier of the key, 32 to 2048 bytes.
  public var keyID: [UInt8]
  /// The identifier for other systems, chosen by the server.
  public var externalID: String
  /// The account.
  public var account: String
  /// The identifier of the client's device, as in `DeviceRecord.deviceID`; nil when the client gave none.
  public var deviceID: String?
  /// The encoded public key.
  public var publicKey: [UInt8]
  /// The number of the encoding of the public key.
  public var publicKeyEncoding: UInt16
  /// The number of the signature algorithm.
  public var signatureAlgorithm: UInt16
  /// The version of the authenticator.
  public var authenticatorVersion: UInt16
  /// The last signature counter.
  public var signatureCounter: UInt32
  /// The registration counter.
  public var registrationCounter: UInt32
  /// When it was registered.
  public var createdAt: Int64
  /// When it last authenticated its user, or nil.
  public var usedAt: Int64?

  /// Creates a record.
  public init(
    aaid: String, keyID: [UInt8], externalID: String, account: String, deviceID: String? = nil, publicKey: [UInt8],
    publicKeyEncoding: UInt16, signatureAlgorithm: UInt16, authenticatorVersion: UInt16, signatureCounter: UInt32,
    registrationCounter: UInt32, createdAt: Int64, usedAt: Int64? = nil
  ) {
    (self.aaid, self.keyID, self.externalID) = (aaid, keyID, externalID)
    (self.account, self.deviceID) = (account, deviceID)
    (self.publicKey, self.publicKeyEncoding) = (publicKey, publicKeyEncoding)
    (self.signatureAlgorithm, self.authenticatorVersion) = (signatureAlgorithm, authenticatorVersion)
    (self.signatureCounter, self.registrationCounter) = (signatureCounter, registrationCounter)
    (self.createdAt, self.usedAt) = (createdAt, usedAt)
  }
}
