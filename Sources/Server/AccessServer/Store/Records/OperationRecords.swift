internal import AccessMessages

/// A request that the server sent and that waits for its response. It is removed by its first response.
struct ChallengeRecord: StoredRecord, Hashable {
  static let table = RecordTable("challenge", identity: ["id"])

  /// The challenge in base64url, unique.
  var id: String
  /// The operation: `Reg` or `Auth`.
  var operation: String
  /// The account; nil for an authentication of a user who is not named.
  var account: String?
  /// The request: a list in JSON as text, as it was sent.
  var request: String
  /// The session identifier of the operation.
  var sessionID: String
  /// The digest of the registration token that authorised the request, or nil.
  var registrationToken: TokenDigest?
  /// The device that it was made for.
  var origin = DeviceOrigin()
  /// Whether the registration of a new name was begun without an authorization.
  var isOpen = false
  /// The address of the client that it was sent to; nil in a record of an older version.
  var address: String?
  /// When it was sent.
  var createdAt: Int64
  /// When it expires.
  var expiresAt: Int64
}

/// The device for which a client asked for something, as far as the server knows it.
struct DeviceOrigin: Codable, Hashable, Sendable {
  /// The identifier of the device that it was made for; nil when it is not known.
  var deviceID: String?
  /// The identifier of the device whose authorization it was made with, or nil.
  var authorizedBy: String?
  /// The keys of the authorization that it was made with; nil without the authorization of a user.
  var authorizingKeys: AuthorizingKeys?
}

/// A token that was dispatched to a device, shown as a QR code or given as a link.
struct OutOfBandTokenRecord: StoredRecord, Hashable {
  static let table = RecordTable("outOfBandToken", identity: ["digest"])

  /// The digest of the token.
  var digest: TokenDigest
  /// The session identifier of the operation.
  var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  var operation: String
  /// The account, or nil.
  var account: String?
  /// The identifier of the device; nil when the token was not addressed to one.
  var device: String?
  /// The device that it was made for.
  var origin = DeviceOrigin()
  /// The name of the dispatcher.
  var channel: String
  /// The context of the request: JSON as text.
  var context: String
  /// The payload for the list of pending operations, JSON as text. Nil unless it is encrypted for the device, since
  /// nothing in the store must contain the token itself.
  var payload: String?
  /// When it was made.
  var createdAt: Int64
  /// When it expires.
  var expiresAt: Int64
  /// When it was redeemed; nil before.
  var redeemedAt: Int64?
}

/// An operation, for the status service.
struct OperationRecord: StoredRecord, Hashable {
  static let table = RecordTable("operation", identity: ["sessionID"])

  /// The session identifier.
  var sessionID: String
  /// The operation: `Reg`, `Auth` or `Dereg`.
  var operation: String
  /// The state, as the status service names it.
  var state: String
  /// The account, or nil.
  var account: String?
  /// The external identifier of the device that it was dispatched to, or nil.
  var deviceExternalID: String?
  /// The name of the dispatcher, or nil.
  var dispatcher: String?
  /// Whether a dispatched token was redeemed.
  var isRedeemed = false
  /// The result in the protocol, such as 1200, or nil.
  var uafStatus: Int?
  /// The status of the authenticator that the client reported, or nil.
  var asmStatus: Int?
  /// The error that the client reported, or nil.
  var clientError: Int?
  /// The keys that took part.
  var authenticators: [OperationStatus.Authenticator] = []
  /// The address that it was begun from, as it is counted; nil when it is unknown.
  var address: String?
  /// When it began.
  var createdAt: Int64
  /// When it changed.
  var changedAt: Int64
  /// When the token or the request expires: afterwards a state that is not final counts as failed.
  var deadline: Int64
  /// When the record is not needed any more.
  var expiresAt: Int64
}

extension OperationStatus.Authenticator: DetailRecord {}
