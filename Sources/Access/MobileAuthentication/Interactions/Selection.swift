public import FIDOUAF

/// What an account is chosen for.
public struct AccountSelection: Equatable, Sendable {
  /// One account that is registered on this device.
  public struct Option: Equatable, Sendable {
    /// The account.
    public let account: Account
    /// Whether the account has an authenticator that the server's policy accepts.
    public let isPolicyCompliant: Bool

    /// Creates an option.
    public init(account: Account, isPolicyCompliant: Bool) {
      self.account = account
      self.isPolicyCompliant = isPolicyCompliant
    }
  }

  /// All registered accounts, the ones that do not comply included.
  public let options: [Option]
  /// What the person is asked to confirm; nil for an authentication alone.
  public let transaction: Transaction?

  /// Creates a context.
  public init(options: [Option], transaction: Transaction?) {
    self.options = options
    self.transaction = transaction
  }
}

/// Asks for an account when an operation does not name one.
public protocol AccountSelector: Sendable {
  /// Returns the user name of one of the accounts. An account that does not comply with the policy ends the operation
  /// with `noSuitableAuthenticator`.
  func selectAccount(_ context: AccountSelection) async throws(InteractionCancelled) -> String
}

/// What an authenticator is chosen for.
public struct AuthenticatorSelection: Equatable, Sendable {
  /// The operation that needs an authenticator.
  public enum Purpose: String, Sendable, CaseIterable {
    /// The authenticator is registered.
    case registration
    /// The authenticator signs.
    case authentication
  }

  /// One authenticator of this device.
  public struct Option: Equatable, Sendable {
    /// What kind of authenticator it is.
    public let aaid: AAID
    /// Whether the server's policy accepts it.
    public let isPolicyCompliant: Bool
    /// Whether it is registered for the account.
    public let isRegistered: Bool
    /// Whether the device has what it needs.
    public let isSupportedByHardware: Bool
    /// Whether the person has set it up: fingers, a passcode; for PIN and password, whether one is registered.
    public let isEnrolled: Bool
  }

  /// What the authenticator is needed for.
  public let purpose: Purpose
  /// The account.
  public let account: Account
  /// All authenticators, the ones that do not comply included.
  public let options: [Option]
}

/// Asks for an authenticator.
public protocol AuthenticatorSelector: Sendable {
  /// Returns the AAID of one of the authenticators. One that does not comply with the policy ends the operation with
  /// `noSuitableAuthenticator`.
  func selectAuthenticator(_ context: AuthenticatorSelection) async throws(InteractionCancelled) -> AAID
  /// The authenticators of which one will be returned; nil for any. An out-of-band message is not redeemed when none of them
  /// can be used.
  var candidates: Set<AuthenticatorKind>? { get }
}

extension AuthenticatorSelector {
  /// Any.
  public var candidates: Set<AuthenticatorKind>? { nil }
}
