import AccessMessages
package import CardProvisioning
import ContactlessPayment
import Documents
import FIDOUAF
package import HTTPSTransport
package import MobileAuthentication
import PaymentPrograms
package import ProgramSupport
package import WalletAccess

extension CommandFailure {
  /// A question without an answer.
  static func unanswered(_ name: String) -> CommandFailure {
    CommandFailure(
      "unanswered",
      "no answer is left for \"\(name)\": add one to the file of --answers, or run the command in a terminal", .notRight
    )
  }

  static let noAccount = CommandFailure(
    "NotRegistered", "no account is registered on this device: register one with tap-wallet register", .notRight)
  static let interrupted = CommandFailure("interrupted", "a signal ended the command", .interrupted)

  /// A wrong combination of options.
  static func invalidArgument(_ sentence: String) -> CommandFailure {
    CommandFailure("InvalidArgument", sentence, .usage)
  }
}

extension CommandFailure {
  init(_ error: OperationError) { self.init(error.code, of: error) }

  init(_ error: WalletAccessError) {
    switch error {
    case .device(let error): self.init(error)
    case .keysLost:
      self.init(
        error.code, "\(error), with --policy biometricOnly or userPresence if the folder had payment cards", error.exit)
    default: self.init(error.code, of: error)
    }
    if case .wrongPIN(let left) = error { attemptsLeft = left }
  }
}

extension OperationError: ExitError {
  /// A failure of this device differs from a refusal of the server, the person or the device.
  package var exit: Exit {
    switch self {
    case .localData(let error): error.exit
    case .network(.outdated): .notRight
    case .network: .notReached
    case .invalidArgument: .usage
    case .fido(.unknown, _), .keyNotDeleted, .unknown: .error
    case .fido, .refused, .noDeviceLock, .hardware, .deviceProtection, .userAlreadyRegisteredInAnotherServer,
      .userNotRegisteredInServer, .secretLocked, .secretNotEnrolled, .secretChangeCancelled, .tokenExpired,
      .tokenAlreadyRedeemed, .nameAlreadyExists, .deviceNotFound, .signing, .clockSkewTooBig,
      .operationNotSupportedByBackend, .decryption, .malformedPayload:
      .notRight
    }
  }
}

extension WalletAccessError: ExitError {
  /// Almost every other error is a refusal of the issuer.
  package var exit: Exit {
    switch self {
    case .device(let error): error.exit
    case .invocationFailed: .notReached
    case .contents: .error
    default: .notRight
    }
  }
}

extension LocalDataError: ExitError {
  /// A file that cannot be read or written differs from one that is damaged.
  package var exit: Exit {
    switch self {
    case .notReadable, .notWritable, .busy: .error
    default: .notRight
    }
  }
}

extension ProvisioningError: ExitError {
  /// How a request for cards or keys ends the program.
  package var exit: Exit {
    switch self {
    case .unreached: .notReached
    case .storage: .error
    default: .notRight
    }
  }
}

extension TerminalIssuer.Failure: ExitError {
  /// How a request for an authorisation ends the program.
  package var exit: Exit { Exit(rawValue: exitCode) ?? .error }
}
