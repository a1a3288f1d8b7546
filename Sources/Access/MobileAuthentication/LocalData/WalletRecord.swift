public import AccessMessages
public import DeviceAuthentication

/// What the device keeps of its wallet at one issuer. A device has at most one wallet at an issuer, and the issuer decides
/// whether the device is linked to it: that status is never stored here.
public struct WalletRecord: Equatable, Sendable {
  /// The issuer's origin, such as `https://example.org:8443`.
  public let server: String
  /// The name with which the user enrolled, or logged in by password last; nil before both.
  public var userName: String?
  /// The user's own limit of inactivity, in seconds, at least 1; nil without one.
  public var idleSeconds: Int?
  /// The open session; nil after logout.
  public var session: WalletSessionRecord?
  /// Whether the last session has ended because it was inactive, or the issuer ended it, and no operation has reported that
  /// yet.
  public var hasExpiredSession = false
  /// The registered biometric authenticator; nil without one.
  public var biometric: BiometricTokenRecord?
  /// The enrolment whose login has not succeeded yet; nil without one.
  public var pendingEnrolment: PendingEnrolmentRecord?
  /// The identifier that this device had before it lost its keys, until the issuer learns of the loss; nil otherwise.
  public var formerDeviceID: String?
  /// Whether biometric login was removed from this device and the issuer has not confirmed that its token ended.
  public var hasUnreportedBiometricRemoval = false
  /// Whether this device has lost the keys of its cards and the issuer has not confirmed that it deleted these cards.
  public var hasUnreportedCardLoss = false

  /// The versions of the client that the issuer stated last; nil when it has stated none. They stay when the wallet is removed.
  public var clientVersions: ClientVersions?
}

extension WalletRecord {
  /// Creates a record of a wallet without a session.
  public init(server: String) { self.server = server }

  /// Whether the device keeps something of the wallet.
  public var isInUse: Bool { hasContents || formerDeviceID != nil || hasUnreportedCardLoss }

  /// Whether the device keeps something of the wallet that ends with its keys.
  public var hasContents: Bool { userName != nil || session != nil || biometric != nil || pendingEnrolment != nil }

  /// The keys of the device that belong to the record.
  public var keys: [KeyIdentifier] {
    [session?.token.sealingKey, biometric?.token.sealingKey, pendingEnrolment?.nonce.sealingKey].compactMap(\.self)
  }
}

/// An enrolment that the issuer has accepted, before the login that links the device.
public struct PendingEnrolmentRecord: Equatable, Sendable {
  /// The user name of the wallet.
  public let userName: String
  /// The issuer's text for the user.
  public let message: String
  /// The nonce of the login, sealed by the device.
  public let nonce: SealedSecret

  /// Creates a record.
  public init(userName: String, message: String, nonce: SealedSecret) {
    (self.userName, self.message, self.nonce) = (userName, message, nonce)
  }
}

/// An open session of a wallet.
public struct WalletSessionRecord: Equatable, Sendable {
  /// The token, sealed by the device.
  public let token: SealedSecret
  /// The limit of inactivity at the server, in seconds, at least 1.
  public var idleSeconds: Int
  /// The moment of the last activity of the user.
  public var lastActivity: TimeMark
  /// The moment of the last request under the session, which restarted its time at the server.
  public var lastRequest: TimeMark

  /// Creates a record.
  ///
  /// - Parameter lastRequest: Nil for that of the last activity.
  public init(token: SealedSecret, idleSeconds: Int, lastActivity: TimeMark, lastRequest: TimeMark? = nil) {
    self.token = token
    self.idleSeconds = idleSeconds
    self.lastActivity = lastActivity
    self.lastRequest = lastRequest ?? lastActivity
  }
}

/// The token of a wallet's biometric login, sealed by a protected key whose rules are `ProtectedKeyRules.walletLogin`.
public struct BiometricTokenRecord: Equatable, Sendable {
  /// The token.
  public let token: SealedSecret
  /// The digest of the enrolled fingers or faces at the registration.
  public let enrolmentDigest: [UInt8]
  /// Whether the user chose biometrics before the PIN.
  public var isPreferred: Bool

  /// Creates a record.
  public init(token: SealedSecret, enrolmentDigest: [UInt8], isPreferred: Bool) {
    self.token = token
    self.enrolmentDigest = enrolmentDigest
    self.isPreferred = isPreferred
  }

  /// The key for the verification of the holder.
  public var key: ProtectedKeyRecord {
    ProtectedKeyRecord(identifier: token.sealingKey, enrolmentDigest: enrolmentDigest)
  }
}

extension LocalRecords {
  /// Returns the wallet at an issuer; nil without one.
  public func wallet(at server: String) -> WalletRecord? { wallets.first { $0.server == server } }

  /// Names the device at an issuer.
  public mutating func nameDevice(_ name: String, at server: String) {
    guard let index = identities.firstIndex(where: { $0.server == server }) else { return }
    identities[index].information.name = name
  }

  /// Changes the wallet at an issuer. A wallet that is not there is created first.
  public mutating func changeWallet<Value>(at server: String, _ body: (inout WalletRecord) -> Value) -> Value {
    let index = wallets.firstIndex { $0.server == server } ?? wallets.endIndex
    if index == wallets.endIndex { wallets.append(WalletRecord(server: server)) }
    return body(&wallets[index])
  }
}
