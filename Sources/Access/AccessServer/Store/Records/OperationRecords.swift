/// A request that the server sent and that waits for its response. It is removed by its first response.
public struct ChallengeRecord: Hashable, Sendable {
  /// The challenge in base64url, unique.
  public var id: String
  /// The operation: `Reg` or `Auth`.
  public var operation: String
  /// The account; nil for an authentication of a user who is not named.
  public var account: String?
  /// The request: a list in JSON as text, as it was sent.
  public var request: String
  /// The session identifier of the operation.
  public var sessionID: String
  /// The digest of the registration token that authorised the request, or nil.
  public var registrationToken: TokenDigest?
  /// The device that it was made for.
  public var origin: DeviceOrigin
  /// Whether the registration of a new name was begun without an authorization.
  public var isOpen: Bool
  /// The address of the client that it was sent to; nil in a record of an older version.
  public var address: String?
  /// When it was sent.
  public var createdAt: Int64
  /// When it expires.
  public var expiresAt: Int64

  /// Creates a record.
  public init(
    id: String, operation: String, account: String?, request: String, sessionID: String,
    registrationToken: TokenDigest? = nil, origin: DeviceOrigin = DeviceOrigin(), isOpen: Bool = false,
    address: String? = nil, createdAt: Int64, expiresAt: Int64
  ) {
    (self.id, self.operation, self.account) = (id, operation, account)
    (self.origin, self.isOpen) = (origin, isOpen)
    (self.request, self.sessionID, self.registrationToken) = (request, sessionID, registrationToken)
    (self.address, self.createdAt, self.expiresAt) = (address, createdAt, expiresAt)
  }
}

/// The device for which a client asked for something, as far as the server knows it.
public struct DeviceOrigin: Hashable, Sendable {
  /// The identifier of the device that it was made for; nil when it is not known.
  public var deviceID: String?
  /// The identifier of the device whose authorization it was made with, or nil.
  public var authorizedBy: String?

  /// Creates an origin.
  public init(deviceID: String? = nil, authorizedBy: String? = nil) {
    (self.deviceID, self.authorizedBy) = (deviceID, authorizedBy)
  }
}

/// A token that was dispatched to a device, shown as a QR code or given as a link.
public struct OutOfBandTokenRecord: Hashable, Sendable {
  /// The digest of the token.
  public var digest: TokenDigest
  /// The session identifier of the operation.
  public var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  public var operation: String
  /// The account, or nil.
  public var account: String?
  /// The identifier of the device; nil when the token was not addressed to one.
  public var device: String?
  /// The device that it was made for.
  public var origin: DeviceOrigin
  /// The name of the dispatcher.
  public var channel: String
  /// The context of the request: JSON as text.
  public var context: String
  /// The payload for the list of pending operations, JSON as text. Nil unless it is encrypted for the device, since
  /// nothing in the store must contain the token itself.
  public var payload: String?
  /// When it was made.
  public var createdAt: Int64
  /// When it expires.
  public var expiresAt: Int64
  /// When it was redeemed; nil before.
  public var redeemedAt: Int64?

  /// Creates a record.
  public init(
    digest: TokenDigest, sessionID: String, operation: String, account: String?, device: String?,
    origin: DeviceOrigin = DeviceOrigin(), channel: String, context: String, payload: String?, createdAt: Int64,
    expiresAt: Int64, redeemedAt: Int64? = nil
  ) {
    (self.digest, self.sessionID, self.operation) = (digest, sessionID, operation)
    (self.account, self.device, self.origin, self.channel) = (account, device, origin, channel)
    (self.context, self.payload) = (context, payload)
    (self.createdAt, self.expiresAt, self.redeemedAt) = (createdAt, expiresAt, redeemedAt)
  }
}

/// An operation, for the status service.
public struct OperationRecord: Hashable, Sendable {
  /// A key that took part in an operation.
  public struct Authenticator: Hashable, Sendable {
    /// The model.
    public var aaid: String
    /// The identifier of the key in base64url.
    public var keyID: String
    /// The identifier for other systems.
    public var externalID: String

    /// Creates a key.
    public init(aaid: String, keyID: String, externalID: String) {
      (self.aaid, self.keyID, self.externalID) = (aaid, keyID, externalID)
    }
  }

  /// The session identifier.
  public var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  public var operation: String
  /// The state, as the status service names it.
  public var state: String
  /// The account, or nil.
  public var account: String?
  /// The external identifier of the device that it was dispatched to, or nil.
  public var deviceExternalID: String?
  /// The name of the dispatcher, or nil.
  public var dispatcher: String?
  /// Whether a dispatched token was redeemed.
  public var isRedeemed = false
  /// The result in the protocol, such as 1200, or nil.
  public var uafStatus: Int?
  /// The status of the authenticator that the client reported, or nil.
  public var asmStatus: Int?
  /// The error that the client reported, or nil.
  public var clientError: Int?
  /// The keys that took part.
  public var authenticators: [Authenticator] = []
  /// The address that it was begun from, as it is counted; nil when it is unknown.
  public var address: String?
  /// When it began.
  public var createdAt: Int64
  /// When it changed.
  public var changedAt: Int64
  /// When the token or the request expires: afterwards a state that is not final counts as failed.
  public var deadline: Int64
  /// When the record is not needed any more.
  public var expiresAt: Int64

  /// Creates a record.
  public init(
    sessionID: String, operation: String, state: String, account: String?, address: String? = nil, createdAt: Int64,
    deadline: Int64, expiresAt: Int64
  ) {
    self.address = address
    (self.sessionID, self.operation, self.state, self.account) = (sessionID, operation, state, account)
    (self.createdAt, self.changedAt, self.deadline, self.expiresAt) = (createdAt, createdAt, deadline, expiresAt)
  }
}
