/// The person or the application has closed a prompt. The operation ends with the error code for a cancelling user.
public struct InteractionCancelled: Error, Equatable, Sendable {
  /// Creates the error.
  public init() {}
}

/// What a new PIN or password is asked for.
public struct SecretEnrolment: Equatable, Sendable {
  /// PIN or password.
  public let kind: SecretKind
  /// The account that is being registered.
  public let account: Account
  /// Why the last entry was refused; nil at the first call.
  public let lastRecoverableError: EntryRefusal?
}

/// What the enrolled PIN or password is asked for.
public struct SecretVerification: Equatable, Sendable {
  /// PIN or password.
  public let kind: SecretKind
  /// The account.
  public let account: Account
  /// What the failures so far mean for this entry.
  public let protectionStatus: ProtectionStatus
  /// Why the last entry was refused; nil at the first call.
  public let lastRecoverableError: EntryRefusal?
}

/// The old and the new value of a PIN or password.
public struct SecretChange: Sendable {
  /// The enrolled value.
  public let old: EnteredSecret
  /// The value that replaces it.
  public let new: EnteredSecret

  /// Creates a pair.
  public init(old: EnteredSecret, new: EnteredSecret) {
    self.old = old
    self.new = new
  }
}

/// Takes new PINs and passwords.
public protocol NewSecretInteraction: Sendable {
  /// The rules for new values; nil for a kind that is not taken.
  func policy(for kind: SecretKind) -> (any EntryPolicy)?
}

extension NewSecretInteraction {
  /// Exactly six digits for a PIN. A password needs rules of the application.
  public func policy(for kind: SecretKind) -> (any EntryPolicy)? { kind == .pin ? PinPolicy.standard : nil }
}

/// Asks the person for a new PIN or password. Called again until an entry is accepted.
public protocol SecretEnroller: NewSecretInteraction {
  /// Returns a new value.
  func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret
}

/// Asks the person for the enrolled PIN or password. Called again until it is right or the authenticator is locked.
public protocol SecretVerifier: Sendable {
  /// Returns the entry. During a cool-down it is ignored, whatever it is.
  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret
  /// The entry was right. The operation goes on: this is not its success.
  func validCredentialsProvided(_ context: SecretVerification) async
}

extension SecretVerifier {
  /// Does nothing.
  public func validCredentialsProvided(_ context: SecretVerification) async {}
}

/// Asks the person for the old and the new value. Called again until both are accepted or the authenticator is locked.
public protocol SecretChanger: NewSecretInteraction {
  /// Returns both values. During a cool-down they are ignored, whatever they are.
  func change(_ context: SecretVerification) async throws(InteractionCancelled) -> SecretChange
}
