public import FIDOUAF

/// What a transaction is confirmed for.
public struct TransactionConfirmation: Equatable, Sendable {
  /// The account; nil while it is not chosen yet.
  public let account: Account?
  /// What the server asks the person to confirm, unchanged.
  public let transaction: Transaction

  /// Creates a context.
  public init(account: Account?, transaction: Transaction) {
    (self.account, self.transaction) = (account, transaction)
  }
}

/// Shows a transaction, before an authenticator is asked for.
public protocol TransactionConfirmer: Sendable {
  /// Returns when the person has confirmed. A refusal is a cancelled interaction: nothing is signed.
  func confirm(_ context: TransactionConfirmation) async throws(InteractionCancelled)
}

/// What a prompt of the device is shown for.
public struct DevicePromptRequest: Equatable, Sendable {
  /// The account.
  public let account: Account
  /// The authenticator.
  public let aaid: AAID
  /// Whether the authenticator is registered or signs.
  public let purpose: AuthenticatorSelection.Purpose
  /// What the person has confirmed; nil without a transaction.
  public internal(set) var transaction: Transaction?
}

/// Gives the text of the device's own prompt for a finger, a face or the device passcode.
public protocol DevicePromptText: Sendable {
  /// Returns a sentence that states what the person approves. A prompt without a text is refused before it is shown.
  func promptText(_ context: DevicePromptRequest) async throws(InteractionCancelled) -> String
  /// The person was recognised. The operation goes on: this is not its success.
  func validCredentialsProvided(_ context: DevicePromptRequest) async
}

extension DevicePromptText {
  /// Does nothing.
  public func validCredentialsProvided(_ context: DevicePromptRequest) async {}
}
