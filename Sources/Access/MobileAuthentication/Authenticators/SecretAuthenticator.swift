internal import DeviceAuthentication
public import FIDOUAF
internal import Octets

/// The PIN or the password authenticator: enrolment, verification and change, under the rule against guessing.
///
/// All processes of a device count together: an entry is admitted, compared and counted while the local data is locked.
public struct SecretAuthenticator: Sendable {
  /// Limits and cost.
  public struct Settings: Sendable {
    /// How long the person may take for all answers of an operation. Cool-downs are added, up to 480 s in all.
    public var interactionLimit: Duration
    /// The base-2 logarithm of the cost of new hashes, 4...20.
    public var cost: UInt8
    /// Whether a new PIN or password needs a counter of the device, without which a restored copy of the local data is not
    /// noticed.
    public var rollbackProtection = true

    /// 240 s; 16 MiB of memory for a hash.
    public static let standard = Settings(interactionLimit: .seconds(240), cost: SecretHash.standardCost)

    /// Creates settings.
    public init(interactionLimit: Duration, cost: UInt8) {
      self.interactionLimit = interactionLimit
      self.cost = cost
    }
  }

  /// PIN or password.
  public let kind: SecretKind
  let keys: any ProtectedKeyStore
  let store: any LocalDataStore
  var clocks = AuthenticatorClocks.system
  var random: any RandomSource = SystemRandomSource()
  var settings = Settings.standard
  /// The limit of the operation that the authenticator is a part of; nil: each call has a limit of its own.
  var operationLimit: InteractionLimit?

  /// Asks for the secret of a registration until it is right.
  ///
  /// - Throws: `.lockedOut` at the fifth wrong entry, after the private key was destroyed, and at every later call, without
  ///   a prompt; `.notEnrolled` when there is no such registration.
  public func verify(
    _ keyID: KeyID, _ aaid: AAID, asking verifier: any SecretVerifier
  ) async throws(AuthenticatorError) {
    var refusal: EntryRefusal?
    var limit = limit()
    while true {
      let present = try await registration { $0.index(of: keyID, aaid) }
      let context = try await context(for: present, refusal)
      limit.add(coolDown: context.protectionStatus.coolDown)
      let entry = try await limit.answer { () async throws(InteractionCancelled) in
        try await verifier.verify(context)
      }
      guard try await compare(entry, with: present, resettingAttempts: true) else {
        refusal = .incorrect
        continue
      }
      return await verifier.validCredentialsProvided(context)
    }
  }
}

// What every prompt begins with.
extension SecretAuthenticator {
  /// A registration with its protection.
  struct Present: Sendable {
    let record: RegistrationRecord
    let protection: SecretProtection
  }

  /// Reads the registration that a function finds in the records.
  func registration(
    _ find: (LocalRecords) -> Int?
  ) async throws(AuthenticatorError) -> Present {
    let records = try await converting(AuthenticatorError.localData) { () async throws(LocalDataError) in
      try await store.read()
    }
    guard let index = find(records), let protection = records.registrations[index].protection, protection.kind == kind
    else { throw .notEnrolled }
    return Present(record: records.registrations[index], protection: protection)
  }

  /// The context of the next prompt.
  ///
  /// - Throws: `.lockedOut`. The private key is destroyed then, also when the process that counted the fifth wrong entry
  ///   ended before it had destroyed the key.
  func context(for present: Present, _ refusal: EntryRefusal?) async throws(AuthenticatorError) -> SecretVerification {
    var status = present.protection.attempts.status(at: clocks.now)
    if status == .lockedOut {
      // A fifth entry counts as wrong until it is compared: another process may be comparing it at this moment.
      let mark = try await converting(AuthenticatorError.localData) { () async throws(LocalDataError) in
        try await store.beginEntry()
      }
      defer { withExtendedLifetime(mark) {} }
      let settled = try await registration { $0.index(of: present.record.keyID, present.record.aaid) }
      status = settled.protection.attempts.status(at: clocks.now)
      guard status != .lockedOut else { throw await lockOut(settled) }
    }
    return SecretVerification(
      kind: kind, account: present.record.account, protectionStatus: status, lastRecoverableError: refusal)
  }

  /// The limit of the operation, or a new one.
  func limit() -> InteractionLimit {
    operationLimit ?? InteractionLimit(settings.interactionLimit, by: clocks.monotonic)
  }
}
