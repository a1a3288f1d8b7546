import AccessMessages
import ArgumentParser
import FIDOUAF
import HTTPSTransport
import MobileAuthentication
import ProgramSupport
import WalletAccess

extension CommandFailure {
  /// A question without an answer.
  static func unanswered(_ name: String) -> CommandFailure {
    CommandFailure(
      "unanswered",
      "no answer is left for \"\(name)\": add one to the file of --answers, or run the command in a terminal", .refused)
  }

  static let noAccount = CommandFailure(
    "NotRegistered", "no account is registered on this device: register one with tap-wallet register", .refused)
  static let interrupted = CommandFailure("interrupted", "a signal ended the command", .interrupted)
}

extension CommandFailure {
  init(_ error: OperationError) {
    let exit: ExitCode =
      switch error {
      case .fido(.protocolError, _), .fido(.unknown, _), .fido(.unsupportedVersion, _): .failure
      case .fido, .refused, .noDeviceLock, .hardware, .deviceProtection, .userAlreadyRegisteredInAnotherServer,
        .userNotRegisteredInServer, .secretLocked, .secretNotEnrolled, .secretChangeCancelled, .tokenExpired,
        .tokenAlreadyRedeemed, .nameAlreadyExists, .deviceNotFound, .signing, .clockSkewTooBig,
        .operationNotSupportedByBackend:
        .refused
      case .network(.outdated): .refused
      case .network: .notReached
      case .localData, .invalidArgument, .decryption, .malformedPayload, .keyNotDeleted, .unknown: .failure
      }
    self.init(error.code, "\(error)", exit)
  }

  init(_ error: WalletAccessError) {
    switch error {
    case .device(let error): self.init(error)
    case .invocationFailed: self.init(error.code, "\(error)", .notReached)
    case .keysLost:
      self.init(
        error.code, "\(error), with --policy biometricOnly or userPresence if the folder had payment cards", .refused)
    case .malformed, .contents: self.init(error.code, "\(error)")
    default: self.init(error.code, "\(error)", .refused)
    }
    if case .wrongPIN(let left) = error { attemptsLeft = left }
  }

  init(_ error: TerminalIssuer.Failure) {
    if case .unreached = error {
      self.init(error.code, "\(error)", .notReached)
    } else {
      self.init(error.code, "\(error)")
    }
  }

  init(_ error: LocalDataError) { self.init("LocalData", "\(error)") }
}
