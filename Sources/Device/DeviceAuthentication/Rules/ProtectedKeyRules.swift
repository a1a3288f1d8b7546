/// The rules of one protected key: the methods that allow its use, and the effect of each event on it.
///
/// ```
/// row                              | methods             | lock removed | enrolment | all       | attempts  | fallback
///                                  |                     |              | changed   | removed   | exhausted |
/// ---------------------------------+---------------------+--------------+-----------+-----------+-----------+---------
/// CDCVM, biometricOnly             | biometric           | deregister   | -         | unusable  | -         | -
/// CDCVM, userPresence              | biometric, passcode | deregister   | -         | -         | -         | -
/// UAF biometric                    | biometric           | invalidate   | -         | unusable  | -         | -
/// UAF biometric, invalidated       | biometric           | invalidate   | invalidate| unusable  | -         | -
///   by new biometrics              |                     |              |           |           |           |
/// UAF biometric, passcode fallback | biometric, passcode | invalidate   | -         | -         | -         | -
/// UAF device passcode              | passcode            | invalidate   | -         | -         | -         | -
/// wallet login by biometrics       | biometric           | deregister   | deregister| deregister| -         | own PIN
/// ```
///
/// An event is detected at the next verification, not when it occurs.
public struct ProtectedKeyRules: Equatable, Sendable {
  /// The effect of an event on a key.
  public enum Reaction: String, Sendable, CaseIterable {
    /// The key works as before.
    case nothing
    /// The key cannot be used until the event is undone: the effect of missing biometrics on a key without another
    /// method.
    case unusable
    /// The key is deleted. What its owner has registered stays: every later use reports the lost key.
    case invalidate
    /// The key is deleted, and its owner removes everything that was registered with it.
    case deregister

    /// Whether the key is deleted.
    var deletesKey: Bool { self == .invalidate || self == .deregister }
  }

  /// What follows when the person fails by every method, or chooses another method at the prompt.
  public enum Fallback: String, Sendable, CaseIterable {
    /// The verification fails.
    case none
    /// The owner of the key asks for a PIN of its own: the verification throws `.fallbackRequested`.
    case ownPIN
  }

  /// The accepted methods, at least one, in the order in which they are offered.
  public let methods: [VerificationMethod]
  /// After a removal of the device lock, whether or not it is set again.
  public let onLockRemoved: Reaction
  /// After a change of the enrolled set that leaves at least one enrolment. The digest of the set does not show whether
  /// a finger was added or removed.
  public let onEnrolmentChanged: Reaction
  /// After the removal of every enrolment that was present at the creation of the key.
  public let onAllRemoved: Reaction
  /// After the person failed by the last method.
  public let onAttemptsExhausted: Reaction
  /// What follows a failure.
  public let fallback: Fallback

  /// Creates a row. An empty list of methods traps, and so do rules that contradict each other: a key that only
  /// biometrics can use cannot be used after the removal of every enrolment, and no other event makes a key unusable
  /// for a time.
  public init(
    methods: [VerificationMethod], onLockRemoved: Reaction, onEnrolmentChanged: Reaction = .nothing,
    onAllRemoved: Reaction = .nothing, onAttemptsExhausted: Reaction = .nothing, fallback: Fallback = .none
  ) {
    precondition(!methods.isEmpty, "a key is used by at least one method")
    let isBiometricOnly = methods == [.biometric]
    precondition(
      isBiometricOnly ? onAllRemoved != .nothing : onAllRemoved != .unusable,
      "a key is unusable without biometrics exactly when no other method is accepted")
    precondition(
      ![onLockRemoved, onEnrolmentChanged, onAttemptsExhausted].contains(.unusable),
      "only the removal of every enrolment makes a key unusable for a time")
    self.methods = methods
    self.onLockRemoved = onLockRemoved
    self.onEnrolmentChanged = onEnrolmentChanged
    self.onAllRemoved = onAllRemoved
    self.onAttemptsExhausted = onAttemptsExhausted
    self.fallback = fallback
  }

  /// Returns the reaction to the loss of a key, for the owner of the key, which removes its registration for
  /// `.deregister` only.
  public func reaction(to loss: KeyInvalidation) -> Reaction {
    switch loss {
    case .lockRemoved, .keyGone, .otherDevice, .refused: onLockRemoved
    case .enrolmentChanged: onEnrolmentChanged
    case .enrolmentRemoved: onAllRemoved
    case .attemptsExhausted: onAttemptsExhausted
    }
  }

  /// Whether a change of the enrolled set deletes the key, so that the device must report a digest of the set.
  var dependsOnEnrolment: Bool { onEnrolmentChanged.deletesKey || onAllRemoved.deletesKey }

  /// What must be set up on the device, in the order in which it is checked; the first missing requirement is reported.
  ///
  /// Every row requires the lock, because the key is bound to it. A phone has no biometrics without a lock, but a
  /// Linux machine can, so rows without the passcode require both.
  var requirements: [DeviceRequirement] { methods.contains(.passcode) ? [.lock] : [.biometric, .lock] }
}

/// A requirement of a row on the device.
enum DeviceRequirement: Sendable {
  /// At least one finger or face is enrolled.
  case biometric
  /// The device lock has a passcode.
  case lock

  /// The result of the eligibility check when the requirement is not met.
  var missing: DeviceOwnerAuthentication {
    switch self {
    case .biometric: .biometricNotSet
    case .lock: .passcodeNotSet
    }
  }
}
