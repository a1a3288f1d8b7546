/// A wallet: what a user stated at enrolment. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
package struct EnrolledWalletRecord: StoredRecord, Hashable {
  package static let table = RecordTable("wallet", identity: ["id"])

  /// The answer to a security question.
  package struct Answer: DetailRecord, Hashable {
    /// The identifier of the question.
    package var questionID: String
    /// The salted hash of the answer.
    package var hash: String

    /// Creates an answer.
    package init(questionID: String, hash: String) { (self.questionID, self.hash) = (questionID, hash) }
  }

  /// The identifier, chosen by the server.
  package var id: String
  /// The user name: the e-mail address in lower case, unique in the store.
  package var userName: String
  /// The first name.
  package var firstName: String
  /// The last name.
  package var lastName: String
  /// The telephone number.
  package var phone: String
  /// The salted hash of the password.
  package var passwordHash: String
  /// The salted hash of the PIN.
  package var pinHash: String
  /// The answers, at least one, in the order of the profile.
  package var answers: [Answer]
  /// What the issuer's program added: an object of JSON as text.
  package var information: String
  /// When the wallet was added.
  package var createdAt: Int64

  /// Creates a record.
  package init(
    id: String, userName: String, firstName: String, lastName: String, phone: String, passwordHash: String,
    pinHash: String, answers: [Answer], information: String, createdAt: Int64
  ) {
    (self.id, self.userName, self.firstName, self.lastName) = (id, userName, firstName, lastName)
    (self.phone, self.passwordHash, self.pinHash) = (phone, passwordHash, pinHash)
    (self.answers, self.information, self.createdAt) = (answers, information, createdAt)
  }
}

/// A device that is linked with a wallet. A device has at most one wallet.
package struct WalletDeviceRecord: StoredRecord, Hashable {
  package static let table = RecordTable("walletDevice", identity: ["deviceID"])

  /// The identifier that the client gave, unique in the store, 1 to 128 characters.
  package var deviceID: String
  /// The identifier of the wallet.
  package var wallet: String
  /// The name, 1 to 128 characters.
  package var name: String
  /// The public key of the device's signatures: a JWK as text.
  package var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  package var encryptionKey: String
  /// Where push messages go, or nil.
  package var pushTarget: String?
  /// Whether the device may be used.
  package var state = DispatchTargetRecord.State.active
  /// How many wrong PINs in succession were sent.
  package var pinFailures = 0
  /// The digest of the token for the login by biometrics, or nil.
  package var biometricToken: TokenDigest?
  /// When it was linked.
  package var createdAt: Int64
  /// The operating system that the client stated, or nil.
  package var system: String?
  /// When it sent the last request, to a minute; nil when it was linked by an older server and has sent none since.
  package var lastContactAt: Int64?

  /// Creates a record.
  package init(
    deviceID: String, wallet: String, name: String, signatureKey: String, encryptionKey: String,
    pushTarget: String? = nil, state: DispatchTargetRecord.State = .active, pinFailures: Int = 0,
    biometricToken: TokenDigest? = nil, createdAt: Int64, system: String? = nil, lastContactAt: Int64? = nil
  ) {
    (self.deviceID, self.wallet, self.name) = (deviceID, wallet, name)
    (self.signatureKey, self.encryptionKey) = (signatureKey, encryptionKey)
    (self.pushTarget, self.state, self.pinFailures) = (pushTarget, state, pinFailures)
    (self.biometricToken, self.createdAt, self.system) = (biometricToken, createdAt, system)
    self.lastContactAt = lastContactAt
  }
}

/// A session of a wallet on a device.
package struct WalletSessionRecord: StoredRecord, Hashable {
  package static let table = RecordTable("walletSession", identity: ["digest"])

  /// How the user logged in.
  package enum Login: String, StoredValue, Codable {
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
  package var digest: TokenDigest
  /// The identifier of the wallet.
  package var wallet: String
  /// The identifier of the device that logged in. A session for lost devices may be one of a device that is not linked.
  package var deviceID: String
  /// The public key with which the device signed the login: a JWK as text.
  package var signatureKey: String
  /// What the session may be used for: a name of `SessionScope`.
  package var scope: String
  /// How the user logged in.
  package var login: Login
  /// When it began.
  package var createdAt: Int64
  /// When it ends unless the client sends a request before.
  package var expiresAt: Int64
  /// The user's own limit of inactivity, in seconds; nil for the issuer's.
  package var idleSeconds: Int?

  /// Creates a record.
  package init(
    digest: TokenDigest, wallet: String, deviceID: String, signatureKey: String, scope: String, login: Login,
    createdAt: Int64, expiresAt: Int64, idleSeconds: Int? = nil
  ) {
    (self.digest, self.wallet, self.deviceID) = (digest, wallet, deviceID)
    (self.signatureKey, self.scope, self.login) = (signatureKey, scope, login)
    (self.createdAt, self.expiresAt, self.idleSeconds) = (createdAt, expiresAt, idleSeconds)
  }
}

/// A token that a device may use once: a nonce, a question that waits for its answer, or a reset token.
package struct WalletTokenRecord: StoredRecord, Hashable {
  package static let table = RecordTable("walletToken", identity: ["digest"])

  /// What a token is for.
  package enum Purpose: String, StoredValue, Codable {
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
  package var digest: TokenDigest
  /// What it is for.
  package var purpose: Purpose
  /// The identifier of the wallet; nil for a user name that does not exist.
  package var wallet: String?
  /// The user name, in lower case.
  package var userName: String
  /// The identifier of the device.
  package var deviceID: String
  /// The public key with which the device signed: a JWK as text.
  package var signatureKey: String
  /// The identifier of the question, or nil.
  package var questionID: String?
  /// When it was made.
  package var createdAt: Int64
  /// When it expires.
  package var expiresAt: Int64
  /// When the answer to its question was sent, which is compared since then; nil before.
  package var usedAt: Int64?

  /// Creates a record.
  package init(
    digest: TokenDigest, purpose: Purpose, wallet: String? = nil, userName: String, deviceID: String,
    signatureKey: String, questionID: String? = nil, createdAt: Int64, expiresAt: Int64, usedAt: Int64? = nil
  ) {
    (self.digest, self.purpose, self.wallet, self.userName) = (digest, purpose, wallet, userName)
    (self.deviceID, self.signatureKey, self.questionID) = (deviceID, signatureKey, questionID)
    (self.createdAt, self.expiresAt, self.usedAt) = (createdAt, expiresAt, usedAt)
  }
}
