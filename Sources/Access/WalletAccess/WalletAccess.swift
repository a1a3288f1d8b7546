public import AccessMessages
public import DeviceAuthentication
internal import FIDOUAF
public import MobileAuthentication
public import Octets

/// The wallet of this device at one issuer. The coordinators work on it: `DeviceCoordinator`, `UserEnrolmentCoordinator`,
/// `AuthenticationCoordinator`, `RecoveryCoordinator`, `LostDeviceCoordinator` and `BiometricAuthenticator`.
///
/// It keeps the token of its session and of its biometric login in the local data, both sealed by the device, and nothing
/// that the user enters. A value of this type keeps nothing itself, so that several processes can use one wallet.
public struct WalletAccess: Sendable {
  /// The issuer's origin, such as `https://example.org:8443`.
  public let server: String
  let device: AuthenticationDevice
  let http: any HTTPExchange
  let store: any LocalDataStore
  let integrity: any DeviceIntegrity
  let contents: [any WalletContents]
  let random: any RandomSource
  let limits: HTTPLimits

  /// Names the wallet of a device at an issuer.
  ///
  /// - Parameters:
  ///   - server: The URL of the issuer; its path is ignored.
  ///   - device: The device. Its own `integrity` may be nil, which switches the checks off except for biometric login.
  ///     While its keys are in another TPM, the wallet is unavailable and stays.
  ///   - integrity: The checks of this process that biometric login always needs.
  ///   - contents: What is removed when the device is unlinked.
  ///   - limits: The limits of one exchange.
  /// - Throws: `.invocationFailed(.insecureURL)` for a URL without the scheme https.
  public init(
    server: String, device: AuthenticationDevice, http: any HTTPExchange, store: any LocalDataStore,
    integrity: any DeviceIntegrity, contents: [any WalletContents] = [],
    random: any RandomSource = SystemRandomSource(), limits: HTTPLimits = HTTPLimits()
  ) throws(WalletAccessError) {
    guard let origin = WebOrigin(url: server), origin.scheme == "https" else { throw .invocationFailed(.insecureURL) }
    self.server = origin.text
    // A key that is in another TPM is unavailable and not lost.
    self.device = device.with(device.ports.keepingKeysOfOtherTPMs())
    (self.http, self.store) = (http, store)
    (self.integrity, self.contents, self.random, self.limits) = (integrity, contents, random, limits)
  }
}

// The local data of the wallet.
extension WalletAccess {
  /// Returns the name with which the user enrolled or logged in by password on this device; nil on a device that keeps
  /// no wallet.
  public func userName() async throws(WalletAccessError) -> String? { try await record().userName }

  /// Returns whether the device keeps a user or a session of the wallet, as it does from a login until it is unlinked.
  package func isLinked() async throws(WalletAccessError) -> Bool {
    let record = try await record()
    return record.userName != nil || record.session != nil
  }

  /// The record of the wallet; one without a session when the device has none.
  func record() async throws(WalletAccessError) -> WalletRecord {
    try await converting(Self.localData) { () async throws(LocalDataError) in try await store.read() }
      .wallet(at: server) ?? WalletRecord(server: server)
  }

  /// Changes the record of the wallet in one step, and deletes the keys that it does not name any more. A key that cannot be
  /// deleted stays without a record, and nothing can use it.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout WalletRecord) -> Value
  ) async throws(WalletAccessError) -> Value {
    let server = server
    let (value, unnamed) = try await converting(Self.localData) { () async throws(LocalDataError) in
      try await store.change { records in
        records.changeWallet(at: server) { record in
          let (former, value) = (record.keys, body(&record))
          return (value, Set(former).subtracting(record.keys))
        }
      }
    }
    for key in unnamed { try? await device.ports.keys.delete(key) }
    return value
  }

  /// Removes everything that the device keeps of the wallet, except for what the issuer has to learn and an enrolment whose
  /// login is pending. Can be repeated.
  ///
  /// - Parameter isKeyLost: Whether the device has lost a key of the wallet: the next request informs the issuer, which deletes
  ///   the cards.
  func wipe(isKeyLost: Bool = false) async throws(WalletAccessError) {
    try await change { record in
      let former = record
      record = WalletRecord(server: former.server)
      // The issuer states that the device is not linked also between an enrolment and its login.
      if !isKeyLost { record.pendingEnrolment = former.pendingEnrolment }
      record.formerDeviceID = former.formerDeviceID
      record.clientVersions = former.clientVersions
      record.hasUnreportedCardLoss = former.hasUnreportedCardLoss || isKeyLost
    }
    for part in contents {
      try await converting(WalletAccessError.contents) { () async throws(WalletContentsError) in try await part.wipe() }
    }
  }

  private static func localData(_ error: LocalDataError) -> WalletAccessError { .device(.localData(error)) }
}
