internal import DeviceAuthentication
public import FIDOUAF

/// An authenticator that the device can have, with everything that is known about it without the network.
public struct Authenticator: Equatable, Sendable {
  /// A registration of the authenticator for an account.
  public struct Registration: Equatable, Sendable {
    /// The account.
    public let account: Account
    /// What the wrong entries of a PIN or a password mean now; nil for an authenticator that the device checks.
    public let protection: ProtectionStatus?
    /// Whether the key of the registration works no longer. A locked PIN or password has lost its key too.
    public let isKeyLost: Bool
    /// Whether the server's policy of the last authentication accepted the authenticator; nil before one.
    public let isPolicyCompliant: Bool?
    /// Whether a new finger or face ends the key.
    public let isInvalidatedByNewBiometrics: Bool
    /// Whether the device passcode is accepted in place of a finger or a face.
    public let acceptsPasscode: Bool

    /// Whether the registration itself allows an authentication now.
    var isUsable: Bool {
      guard !isKeyLost, isPolicyCompliant != false else { return false }
      return switch protection {
      case nil, .unlocked?: true
      case .lastAttemptFailed(_, let coolDown)?: coolDown == .zero
      case .lockedOut?: false
      }
    }
  }

  /// What it verifies.
  public let kind: AuthenticatorKind
  /// Its identifier.
  public let aaid: AAID
  /// Whether the device has what it needs.
  public let isSupportedByHardware: Bool
  /// Whether the person has set it up: fingers, a face, a passcode; for PIN and password, whether one is registered.
  public let isEnrolled: Bool
  /// Its registrations that the servers have confirmed, in their order.
  public let registrations: [Registration]
  /// Whether authentication is possible right away: the device is ready, the authenticator is set up, and one of its
  /// registrations has a working key, is not locked, ignores no entries, and is accepted by its server.
  public let canAuthenticate: Bool
}

extension LocalData {
  /// All authenticators that the device can have, those without a registration included, in the order of
  /// `AuthenticatorKind`.
  ///
  /// A part of the device that does not respond counts as missing, and a key that cannot be reached as working.
  public func authenticators() async throws(LocalDataError) -> [Authenticator] {
    let records = try await store.read()
    let isReady = await isDeviceReady()
    let sensor = try? await device.ports.biometric.enrolment()
    var all: [Authenticator] = []
    for own in await device.authenticators(profile) {
      var registrations: [Authenticator.Registration] = []
      for record in records.registrations where record.state == .registered && record.aaid == own.aaid {
        registrations.append(await registration(record, own.kind, sensor?.digest, records))
      }
      let isEnrolled = own.isEnrolled || own.kind.secretKind != nil && !registrations.isEmpty
      all.append(
        Authenticator(
          kind: own.kind, aaid: own.aaid, isSupportedByHardware: own.isSupported, isEnrolled: isEnrolled,
          registrations: registrations,
          canAuthenticate: isReady && own.isSupported && isEnrolled && registrations.contains(where: \.isUsable)))
    }
    return all
  }

  private func isDeviceReady() async -> Bool {
    do throws(OperationError) {
      try await device.check()
      return true
    } catch { return false }
  }

  private func registration(
    _ record: RegistrationRecord, _ kind: AuthenticatorKind, _ digest: [UInt8]?, _ records: LocalRecords
  ) async -> Authenticator.Registration {
    let isChanged =
      kind.isBiometric && record.isInvalidatedByNewBiometrics && digest.map { $0 != record.key.enrolmentDigest } == true
    let isWorking = await RegistrationKeys(device: device).exists(record)
    return Authenticator.Registration(
      account: record.account, protection: record.protection?.attempts.status(at: device.clocks.now),
      isKeyLost: isChanged || !isWorking,
      isPolicyCompliant: records.account(of: record.account.username)?.acceptedAuthenticators?.contains(record.aaid),
      isInvalidatedByNewBiometrics: record.isInvalidatedByNewBiometrics, acceptsPasscode: record.acceptsPasscode)
  }
}

extension MobileAuthenticationClient {
  /// Keeps which authenticators the policy of a server accepts, when that has changed.
  func keepAccepted(_ accepted: [AAID], for account: Account) async throws(OperationError) {
    let known = try await presentRecords().accounts.first { $0.account == account }?.acceptedAuthenticators
    guard known != accepted else { return }
    try await change { records in
      guard let index = records.accounts.firstIndex(where: { $0.account == account }) else { return }
      records.accounts[index].acceptedAuthenticators = accepted
    }
  }
}
