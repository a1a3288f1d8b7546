/// A wallet: what a user stated at enrolment. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
struct WalletRecord: StoredRecord, Hashable {
  static let table = RecordTable("wallet", identity: ["id"])

  /// The answer to a security question.
  struct Answer: DetailRecord, Hashable {
    /// The identifier of the question.
    var questionID: String
    /// The salted hash of the answer.
    var hash: String
  }

  /// The identifier, chosen by the server.
  var id: String
  /// The user name: the e-mail address in lower case, unique in the store.
  var userName: String
  /// The first name.
  var firstName: String
  /// The last name.
  var lastName: String
  /// The telephone number.
  var phone: String
  /// The salted hash of the password.
  var passwordHash: String
  /// The salted hash of the PIN.
  var pinHash: String
  /// The answers, at least one, in the order of the profile.
  var answers: [Answer]
  /// What the issuer's program added: an object of JSON as text.
  var information: String
  /// When the wallet was added.
  var createdAt: Int64
}

/// A device that is linked with a wallet. A device has at most one wallet.
struct WalletDeviceRecord: StoredRecord, Hashable {
  static let table = RecordTable("walletDevice", identity: ["deviceID"])

  /// The identifier that the client gave, unique in the store, 1 to 128 characters.
  var deviceID: String
  /// The identifier of the wallet.
  var wallet: String
  /// The name, 1 to 128 characters.
  var name: String
  /// The public key of the device's signatures: a JWK as text.
  var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  var encryptionKey: String
  /// Where push messages go, or nil.
  var pushTarget: String?
  /// Whether the device may be used.
  var state = DeviceRecord.State.active
  /// How many wrong PINs in succession were sent.
  var pinFailures = 0
  /// The digest of the token for the login by biometrics, or nil.
  var biometricToken: TokenDigest?
  /// When it was linked.
  var createdAt: Int64
  /// The operating system that the client stated, or nil.
  var system: String?
  /// When it sent the last request, to a minute; nil when it was linked by an older server and has sent none since.
  var lastContactAt: Int64?
}

/// A session of a wallet on a device.
struct WalletSessionRecord: StoredRecord, Hashable {
  static let table = RecordTable("walletSession", identity: ["digest"])

  /// How the user logged in.
  enum Login: String, StoredValue, Codable {
    /// With the nonce of an enrolment.
    case nonce
    /// With user name and password.
    case password
    /// With the PIN.
    case pin
    /// By biometrics.
    case biometrics
  }

  /// The digest of the token.
  var digest: TokenDigest
  /// The identifier of the wallet.
  var wallet: String
  /// The identifier of the device that logged in. A session for lost devices may be one of a device that is not linked.
  var deviceID: String
  /// The public key with which the device signed the login: a JWK as text.
  var signatureKey: String
  /// What the session may be used for: a name of `SessionScope`.
  var scope: String
  /// How the user logged in.
  var login: Login
  /// When it began.
  var createdAt: Int64
  /// When it ends unless the client sends a request before.
  var expiresAt: Int64
  /// The user's own limit of inactivity, in seconds; nil for the issuer's.
  var idleSeconds: Int?
}

/// A token that a device may use once: a nonce, a question that waits for its answer, or a reset token.
struct WalletTokenRecord: StoredRecord, Hashable {
  static let table = RecordTable("walletToken", identity: ["digest"])

  /// What a token is for.
  enum Purpose: String, StoredValue, Codable {
    /// The login after an enrolment.
    case enrolment
    /// The answer to the question of a login, which links the device.
    case login
    /// The answer to the question of a login for lost devices.
    case lostDevice
    /// The answer to the question of a forgotten PIN.
    case recoverPin
    /// The answer to the question of a forgotten password.
    case recoverPassword
    /// A new PIN.
    case resetPin
    /// A new password.
    case resetPassword
  }

  /// The digest of the token.
  var digest: TokenDigest
  /// What it is for.
  var purpose: Purpose
  /// The identifier of the wallet; nil for a user name that does not exist.
  var wallet: String?
  /// The user name, in lower case.
  var userName: String
  /// The identifier of the device.
  var deviceID: String
  /// The public key with which the device signed: a JWK as text.
  var signatureKey: String
  /// The identifier of the question, or nil.
  var questionID: String?
  /// When it was made.
  var createdAt: Int64
  /// When it expires.
  var expiresAt: Int64
  /// When the answer to its question was sent, which is compared since then; nil before.
  var usedAt: Int64?
}
