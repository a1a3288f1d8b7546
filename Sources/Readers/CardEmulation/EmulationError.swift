internal import Links

/// Why card emulation did not begin, a response was not sent, or a session ended.
public struct EmulationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, CaseIterable, Sendable {
    /// The app ended the session.
    case invalidated
    /// The user ended the session.
    case userInvalidated
    /// Emulation has reached its time limit.
    case maxSessionDurationReached
    /// A response did not reach the link; the same APDU can be answered again. Never the error that ends a session.
    case transmissionError
    /// Emulation is not possible now: the cool-down is not over, or the link failed.
    case systemNotAvailable
    /// The user has not allowed emulation.
    case accessNotAccepted
    /// This device, its region or its app may not emulate cards.
    case systemEligibilityFailed
    /// Emulation stopped before a command was answered.
    case emulationStopped
    /// The radio is switched off, or the reader in its place is absent.
    case radioDisabled
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong and what to do next: a sentence. It contains no card data.
  public let reason: String

  /// Creates an error.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }

  /// Errors are equal when their codes are.
  public static func == (left: EmulationError, right: EmulationError) -> Bool { left.code == right.code }
}

extension EmulationError {
  /// Converts the end of a link into the error of its session; nil means that the link was stopped.
  init(_ error: LinkError?) {
    guard let error else {
      self.init(
        .emulationStopped, "the link was stopped while the session used it: create another session and a new link")
      return
    }
    switch error.code {
    case .readerUnavailable: self.init(.radioDisabled, error.reason)
    case .stopped: self.init(.emulationStopped, error.reason)
    default: self.init(.systemNotAvailable, error.reason)
    }
  }
}

/// Why a response to an APDU was not sent.
public enum ResponseError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The APDU was answered before, which is an error of the program. The first response was sent.
  case alreadyAnswered
  /// `transmissionError`, after which the same APDU can be answered again, or `emulationStopped`.
  case notSent(EmulationError)

  /// A sentence.
  public var description: String {
    switch self {
    case .alreadyAnswered: "this APDU was answered before, and the first response was sent: answer each APDU once"
    case .notSent(let error): error.reason
    }
  }
}
