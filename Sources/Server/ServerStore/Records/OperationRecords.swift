package import AccessMessages

/// A request that the server sent and that waits for its response. It is removed by its first response.
package struct ChallengeRecord: StoredRecord, Hashable {
  package static let table = RecordTable("challenge", identity: ["id"])

  /// The challenge in base64url, unique.
  package var id: String
  /// The operation: `Reg` or `Auth`.
  package var operation: String
  /// The account; nil for an authentication of a user who is not named.
  package var account: String?
  /// The request: a list in JSON as text, as it was sent.
  package var request: String
  /// The session identifier of the operation.
  package var sessionID: String
  /// The digest of the registration token that authorised the request, or nil.
  package var registrationToken: TokenDigest?
  /// The device that it was made for.
  package var origin = DeviceOrigin()
  /// Whether the registration of a new name was begun without an authorization.
  package var isOpen = false
  /// The address of the client that it was sent to; nil in a record of an older version.
  package var address: String?
  /// When it was sent.
  package var createdAt: Int64
  /// When it expires.
  package var expiresAt: Int64

  /// Creates a record.
  package init(
    id: String, operation: String, account: String? = nil, request: String, sessionID: String,
    registrationToken: TokenDigest? = nil, origin: DeviceOrigin = DeviceOrigin(), isOpen: Bool = false,
    address: String? = nil, createdAt: Int64, expiresAt: Int64
  ) {
    (self.id, self.operation, self.account, self.request) = (id, operation, account, request)
    (self.sessionID, self.registrationToken, self.origin) = (sessionID, registrationToken, origin)
    (self.isOpen, self.address, self.createdAt) = (isOpen, address, createdAt)
    self.expiresAt = expiresAt
  }
}

/// The device for which a client asked for something, as far as the server knows it.
package struct DeviceOrigin: Codable, Hashable, Sendable {
  /// The identifier of the device that it was made for; nil when it is not known.
  package var deviceID: String?
  /// The identifier of the device whose authorization it was made with, or nil.
  package var authorizedBy: String?
  /// The keys of the authorization that it was made with; nil without the authorization of a user.
  package var authorizingKeys: AuthorizingKeys?

  /// Creates a record.
  package init(deviceID: String? = nil, authorizedBy: String? = nil, authorizingKeys: AuthorizingKeys? = nil) {
    (self.deviceID, self.authorizedBy) = (deviceID, authorizedBy)
    self.authorizingKeys = authorizingKeys
  }
}

/// A token that was dispatched to a device, shown as a QR code or given as a link.
package struct OutOfBandTokenRecord: StoredRecord, Hashable {
  package static let table = RecordTable("outOfBandToken", identity: ["digest"])

  /// The digest of the token.
  package var digest: TokenDigest
  /// The session identifier of the operation.
  package var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  package var operation: String
  /// The account, or nil.
  package var account: String?
  /// The identifier of the device; nil when the token was not addressed to one.
  package var device: String?
  /// The device that it was made for.
  package var origin = DeviceOrigin()
  /// The name of the dispatcher.
  package var channel: String
  /// The context of the request: JSON as text.
  package var context: String
  /// The payload for the list of pending operations, JSON as text. Nil unless it is encrypted for the device, since
  /// nothing in the store must contain the token itself.
  package var payload: String?
  /// When it was made.
  package var createdAt: Int64
  /// When it expires.
  package var expiresAt: Int64
  /// When it was redeemed; nil before.
  package var redeemedAt: Int64?

  /// Creates a record.
  package init(
    digest: TokenDigest, sessionID: String, operation: String, account: String? = nil, device: String? = nil,
    origin: DeviceOrigin = DeviceOrigin(), channel: String, context: String, payload: String? = nil, createdAt: Int64,
    expiresAt: Int64, redeemedAt: Int64? = nil
  ) {
    (self.digest, self.sessionID, self.operation) = (digest, sessionID, operation)
    (self.account, self.device, self.origin, self.channel) = (account, device, origin, channel)
    (self.context, self.payload, self.createdAt) = (context, payload, createdAt)
    (self.expiresAt, self.redeemedAt) = (expiresAt, redeemedAt)
  }
}

/// An operation, for the status service.
package struct OperationRecord: StoredRecord, Hashable {
  package static let table = RecordTable("operation", identity: ["sessionID"])

  /// The session identifier.
  package var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  package var operation: String
  /// The state, as the status service names it.
  package var state: String
  /// The account, or nil.
  package var account: String?
  /// The external identifier of the device that it was dispatched to, or nil.
  package var deviceExternalID: String?
  /// The name of the dispatcher, or nil.
  package var dispatcher: String?
  /// Whether a dispatched token was redeemed.
  package var isRedeemed = false
  /// The result in the protocol, such as 1200, or nil.
  package var uafStatus: Int?
  /// The status of the authenticator that the client reported, or nil.
  package var asmStatus: Int?
  /// The error that the client reported, or nil.
  package var clientError: Int?
  /// The keys that took part.
  package var authenticators: [OperationStatus.Authenticator] = []
  /// The address that it was begun from, as it is counted; nil when it is unknown.
  package var address: String?
  /// When it began.
  package var createdAt: Int64
  /// When it changed.
  package var changedAt: Int64
  /// When the token or the request expires: afterwards a state that is not final counts as failed.
  package var deadline: Int64
  /// When the record is not needed any more.
  package var expiresAt: Int64

  /// Creates a record.
  package init(
    sessionID: String, operation: String, state: String, account: String? = nil, deviceExternalID: String? = nil,
    dispatcher: String? = nil, isRedeemed: Bool = false, uafStatus: Int? = nil, asmStatus: Int? = nil,
    clientError: Int? = nil, authenticators: [OperationStatus.Authenticator] = [], address: String? = nil,
    createdAt: Int64, changedAt: Int64, deadline: Int64, expiresAt: Int64
  ) {
    (self.sessionID, self.operation, self.state) = (sessionID, operation, state)
    (self.account, self.deviceExternalID, self.dispatcher) = (account, deviceExternalID, dispatcher)
    (self.isRedeemed, self.uafStatus, self.asmStatus) = (isRedeemed, uafStatus, asmStatus)
    (self.clientError, self.authenticators, self.address) = (clientError, authenticators, address)
    (self.createdAt, self.changedAt, self.deadline) = (createdAt, changedAt, deadline)
    self.expiresAt = expiresAt
  }
}

extension OperationStatus.Authenticator: DetailRecord {}
