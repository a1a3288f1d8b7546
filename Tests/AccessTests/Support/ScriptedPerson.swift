import FIDOUAF
import MobileAuthentication
import Synchronization

/// Chooses the first authenticator that the account has.
private struct RegisteredSelector: AuthenticatorSelector {
  func selectAuthenticator(_ context: AuthenticatorSelection) async throws(InteractionCancelled) -> AAID {
    guard let option = context.options.first(where: \.isPolicyCompliant) else { throw InteractionCancelled() }
    return option.aaid
  }
}

/// A person who answers every interaction, with fixed entries and a chosen authenticator.
final class ScriptedPerson: SecretEnroller, SecretVerifier, DevicePromptText, AuthenticatorSelector,
  TransactionConfirmer, AccountSelector
{
  private struct State {
    var pin = "123456"
    var password = "Correct horse 1"
    var confirms = true
    var confirmed: [String] = []
    var selections: [AuthenticatorSelection] = []
  }

  private let state = Mutex(State())
  let choice: AuthenticatorKind
  let profile: AuthenticatorProfile

  init(choosing choice: AuthenticatorKind, _ profile: AuthenticatorProfile = .ios) {
    (self.choice, self.profile) = (choice, profile)
  }

  func policy(for kind: SecretKind) -> (any EntryPolicy)? {
    kind == .pin ? PinPolicy.standard : PasswordRules.standard
  }

  /// The texts of the transactions that were shown.
  var confirmed: [String] { state.withLock { $0.confirmed } }
  var selections: [AuthenticatorSelection] { state.withLock { $0.selections } }
  func refuseTransactions() { state.withLock { $0.confirms = false } }
  func forgetPIN() { state.withLock { $0.pin = "000000" } }

  func enrol(_ context: SecretEnrolment) async throws(InteractionCancelled) -> EnteredSecret { entry(context.kind) }

  func verify(_ context: SecretVerification) async throws(InteractionCancelled) -> EnteredSecret {
    guard context.lastRecoverableError == nil else { throw InteractionCancelled() }
    return entry(context.kind)
  }

  func validCredentialsProvided(_ context: SecretVerification) async {}
  func validCredentialsProvided(_ context: DevicePromptRequest) async {}

  private func entry(_ kind: SecretKind) -> EnteredSecret {
    EnteredSecret(state.withLock { kind == .pin ? $0.pin : $0.password })
  }

  func promptText(_ context: DevicePromptRequest) async throws(InteractionCancelled) -> String {
    "Approve \(context.purpose.rawValue)"
  }

  func selectAuthenticator(_ context: AuthenticatorSelection) async throws(InteractionCancelled) -> AAID {
    state.withLock { $0.selections.append(context) }
    return profile.aaid(of: choice)
  }

  var candidates: Set<AuthenticatorKind>? { [choice] }

  func confirm(_ context: TransactionConfirmation) async throws(InteractionCancelled) {
    let confirms = state.withLock { state in
      state.confirmed.append(context.transaction.text ?? "")
      return state.confirms
    }
    guard confirms else { throw InteractionCancelled() }
  }

  func selectAccount(_ context: AccountSelection) async throws(InteractionCancelled) -> String {
    guard let option = context.options.first else { throw InteractionCancelled() }
    return option.account.username
  }

  var registration: Registration.Options {
    var options = Registration.Options()
    options.authentication = authentication
    options.authentication?.authenticatorSelector = RegisteredSelector()
    options.deviceInformation = NewDeviceInformation(name: "Phone of the tests", pushToken: "push-token")
    options.authenticatorSelector = self
    options.enrollers = [.pin: self, .password: self]
    options.biometricUserVerifier = self
    options.devicePasscodeUserVerifier = self
    return options
  }

  var authentication: Authentication.Options {
    var options = Authentication.Options()
    options.authenticatorSelector = self
    options.transactionConfirmer = self
    options.secretVerifiers = [.pin: self, .password: self]
    options.biometricUserVerifier = self
    options.devicePasscodeUserVerifier = self
    return options
  }
}
