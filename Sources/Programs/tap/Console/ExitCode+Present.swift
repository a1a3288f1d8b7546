import ArgumentParser
import ContactlessPayment
import Links
import ProgramSupport

extension ExitCode {
  /// The link ended before the payment did.
  static let linkEnded = ExitCode(3)
}

extension ContactlessPaymentSession.Error {
  /// The exit code of `tap present`.
  var exitCode: ExitCode {
    switch self {
    case .cancelled, .authenticationFailed, .authenticationKeyInvalidated, .biometricNotEnrolled, .keychainError,
      .lockedOut, .deviceEnvironmentUnsafe, .systemEligibilityFailed, .nfcPermissionNotAccepted:
      .refused
    case .maxSessionDurationReached, .apduFailure, .furtherUseRefused, .posNotSupported, .sessionInvalidated:
      .linkEnded
    case .transmissionError(let error):
      [.readerUnavailable, .serviceUnavailable, .busy].contains(error.code) ? .failure : .linkEnded
    case .authenticationExpired, .cardNotActive, .cardNotSupported, .invalidDigitalCardID,
      .invalidWalletTransactionData, .noDefaultCard, .noPaymentKeys, .schemeNotSupported, .setDefaultCardFailure,
      .storeRolledBack, .unavailable, .unknown:
      .failure
    }
  }
}
