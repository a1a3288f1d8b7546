package import ContactlessPayment
package import DeviceAuthentication
package import EMVTerminal
package import Links
package import PaymentAcceptance
package import ProgramSupport

extension LinkError: ExitError {
  /// A reader or card that is not there differs from a link that ends.
  package var exit: Exit {
    switch code {
    case .readerUnavailable, .serviceUnavailable, .busy, .timedOut, .severalCards: .notReached
    case .cardRemoved, .terminalLost, .stopped, .protocolViolation, .transmissionFailed, .recordingDiffers: .notRight
    }
  }
}

extension PaymentOrderError: ExitError {
  /// Amount and currency are options; the clock is the machine's.
  package var exit: Exit { if case .clock = self { .error } else { .usage } }
}

extension PaymentRequestError: ExitError {
  /// Amount and currency are options.
  package var exit: Exit { .usage }
}

extension AcceptanceFailure: ExitError {
  /// How a payment without an outcome ends the program of its terminal.
  package var exit: Exit {
    switch cause {
    case .request(let error): error.exit
    case .link(let error): exchanges.isEmpty ? error.exit : error.exit.ofBegunPayment
    }
  }
}

extension PaymentOutcome.Kind {
  /// Nothing but an approval is right.
  package var exit: Exit { self == .approved ? .done : .notRight }
}

extension Result where Success == PaymentReceipt, Failure == AcceptanceFailure {
  /// How a payment ends the program of its terminal.
  package var exit: Exit {
    switch self {
    case .success(let receipt): receipt.outcome.kind.exit
    case .failure(let failure): failure.exit
    }
  }
}

extension ContactlessPaymentSession.Error: ExitError {
  /// How a payment ends the program of its card.
  package var exit: Exit {
    switch self {
    case .maxSessionDurationReached: .notReached
    case .transmissionError(let error): error.exit
    case .invalidWalletTransactionData: .usage
    case .setDefaultCardFailure, .unavailable, .unknown: .error
    case .apduFailure, .authenticationExpired, .authenticationFailed, .authenticationKeyInvalidated,
      .biometricNotEnrolled, .cancelled, .cardNotActive, .cardNotSupported, .deviceEnvironmentUnsafe,
      .furtherUseRefused, .invalidDigitalCardID, .keychainError, .lockedOut, .nfcPermissionNotAccepted,
      .noDefaultCard, .noPaymentKeys, .posNotSupported, .schemeNotSupported, .sessionInvalidated, .storeRolledBack,
      .systemEligibilityFailed:
      .notRight
    }
  }
}

extension Exit {
  /// The end of a program whose payment had begun: one that then misses its terminal is torn.
  package var ofBegunPayment: Exit { self == .notReached ? .notRight : self }
}

extension WalletError: ExitError {
  /// Almost every other error of a wallet is a refusal.
  package var exit: Exit {
    switch self {
    case .device(let error): error.exit
    case .store(let error): error.exit
    case .busy: .error
    case .invalidWalletTransactionData: .usage
    default: .notRight
    }
  }
}

extension WalletStoreError: ExitError {
  /// A store that cannot be opened or written differs from one that refuses or is damaged.
  package var exit: Exit {
    switch self {
    case .removed, .notWritable, .exposed, .full, .busy, .storage: .error
    case .invalidName: .usage
    default: .notRight
    }
  }
}

extension ReplenishmentError: ExitError {
  /// How a request for keys ends a program.
  package var exit: Exit {
    switch self {
    case .wallet(let error): error.exit
    case .service(.network): .notReached
    case .service, .noService, .inProgress: .notRight
    }
  }
}

extension DeviceAuthenticationError: ExitError {
  /// A device that does not work differs from one that refuses.
  package var exit: Exit {
    switch self {
    case .busy, .unavailable: .error
    default: .notRight
    }
  }
}

extension StoredDeviceError: ExitError {
  /// How a simulated device ends a program.
  package var exit: Exit {
    switch self {
    case .notFound, .notReadable, .notWritable, .exposed, .busy: .error
    case .damaged, .unknownVersion: .notRight
    case .refused(_, let error): error.exit
    }
  }
}
