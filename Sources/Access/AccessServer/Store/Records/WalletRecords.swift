/// A wallet: what a user stated at enrolment. Every moment of a record is in milliseconds since 1970-01-01 00:00:00 UTC.
public struct WalletRecord: Hashable, Sendable {
  /// The answer to a security question.
  public struct Answer: Hashable, Sendable {
    /// The identifier of the question.
    public var questionID: String
    /// The salted hash of the answer.
    public var hash: String

    /// Creates an answer.
    public init(questionID: String, hash: String) { (self.questionID, self.hash) = (questionID, hash) }
  }

  /// The identifier, chosen by the server.
  public var id: String
  /// The user name: the e-mail address in lower case, unique in the store.
  public var userName: String
  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// The telephone number.
  public var phone: String
  /// The salted hash of the password.
  public var passwordHash: String
  /// The salted hash of the PIN.
  public var pinHash: String
  /// The answers, at least one, in the order of the profile.
  public var answers: [Answer]
  /// What the issuer's program added: an object of JSON as text.
  public var information: String
  /// When the wallet was added.
  public var createdAt: Int64

  /// Creates a record.
  public init(
    id: String, userName: String, firstName: String, lastName: String, phone: String, passwordHash: String,
    pinHash: String, answers: [Answer], information: String, createdAt: Int64
  ) {
    (self.id, self.userName, self.firstName, self.lastName) = (id, userName, firstName, lastName)
    (self.phone, self.passwordHash, self.pinHash) = (phone, passwordHash, pinHash)
    (self.answers, self.information, self.createdAt) = (answers, information, createdAt)
  }
}

/// A device that is linked with a wallet. A device has at most one wallet.
public struct WalletDeviceRecord: Hashable, Sendable {
  /// The identifier that the client gave, unique in the store, 1 to 128 characters.
  public var deviceID: String
  /// The identifier of the wallet.
  public var wallet: String
  /// The name, 1 to 128 characters.
  public var name: String
  /// The public key of the device's signatures: a JWK as text.
  public var signatureKey: String
  /// The public key for messages to the device: a JWK as text.
  public var encryptionKey: String
  /// Where push messages go, or nil.
  public var pushTarget: String?
  /// Whether the device may be used.
  public var state: DeviceRecord.State
  /// How many wrong PINs in succession were sent.
  public var pinFailures: Int
  /// The digest of the token for the login by biometrics, or nil.
  public var biometricToken: TokenDigest?
  /// When it was linked.
  public var createdAt: Int64

  /// Creates a record.
  public init(
    deviceID: String, wallet: String, name: String, signatureKey: String, encryptionKey: String,
    pushTarget: String? = nil, state: DeviceRecord.State = .active, pinFailures: Int = 0,
    biometricToken: TokenDigest? = nil, createdAt: Int64
  ) {
    (self.deviceID, self.wallet, self.name) = (deviceID, wallet, name)
    (self.signatureKey, self.encryptionKey, self.pushTarget) = (signatureKey, encryptionKey, pushTarget)
    (self.state, self.pinFailures) = (state, pinFailures)
    (self.biometricToken, self.createdAt) = (biometricToken, createdAt)
  }
}

/// A session of a wallet on a device.
public struct WalletSessionRecord: Hashable, Sendable {
  /// How the user logged in.
  public enum Login: String, Hashable, Sendable, CaseIterable {
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
  public var digest: TokenDigest
  /// The identifier of the wallet.
  public var wallet: String
  /// The identifier of the device that logged in. A session for lost devices may be one of a device that is not linked.
  public var deviceID: String
  /// The public key with which the device signed the login: a JWK as text.
  public var signatureKey: String
  /// What the session may be used for: a name of `SessionScope`.
  public var scope: String
  /// How the user logged in.
  public var login: Login
  /// When it began.
  public var createdAt: Int64
  /// When it ends unless the client sends a request before.
  public var expiresAt: Int64

  /// Creates a record.
  public init(
    digest: TokenDigest, wallet: String, deviceID: String, signatureKey: String, scope: String, login: Login,
    createdAt: Int64, expiresAt: Int64
  ) {
    (self.digest, self.wallet, self.deviceID) = (digest, wallet, deviceID)
    (self.signatureKey, self.scope, self.login) = (signatureKey, scope, login)
    (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
  }
}

/// A token that a device may use once: a nonce, a question that waits for its answer, or a reset token.
public struct WalletTokenRecord: Hashable, Sendable {
  /// What a token is for.
  public enum Purpose: String, Hashable, Sendable, CaseIterable {
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
  public var digest: TokenDigest
  /// What it is for.
  public var purpose: Purpose
  /// The identifier of the wallet; nil for a user name that does not exist.
  public var wallet: String?
  /// The user name, in lower case.
  public var userName: String
  /// The identifier of the device.
  public var deviceID: String
  /// The public key with which the device signed: a JWK as text.
  public var signatureKey: String
  /// The identifier of the question, or nil.
  public var questionID: String?
  /// When it was made.
  public var createdAt: Int64
  /// When it expires.
  public var expiresAt: Int64
  /// When the answer to its question was sent, which is compared since then; nil before.
  public var usedAt: Int64?

  /// Creates a record.
  public init(
    digest: TokenDigest, purpose: Purpose, wallet: String?, userName: String, deviceID: String, signatureKey: String,
    questionID: String? = nil, createdAt: Int64, expiresAt: Int64, usedAt: Int64? = nil
  ) {
    (self.digest, self.purpose, self.wallet, self.userName) = (digest, purpose, wallet, userName)
    (self.deviceID, self.signatureKey, self.questionID) = (deviceID, signatureKey, questionID)
    (self.createdAt, self.expiresAt, self.usedAt) = (createdAt, expiresAt, usedAt)
  }
}
