/// Why card emulation did not begin, an answer was not taken, or a session ended. One type for the layer.
public struct EmulationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of failure it was.
  public enum Code: String, CaseIterable, Sendable {
    /// The app ended the session.
    case invalidated
    /// The user ended the session.
    case userInvalidated
    /// Emulation went on for as long as it may.
    case maxSessionDurationReached
    /// An answer did not reach the link; the same APDU may be answered again. Never the reason of a session's end.
    case transmissionError
    /// Emulation is not possible now: too soon after the last one, or the link failed.
    case systemNotAvailable
    /// The user has not allowed emulation.
    case accessNotAccepted
    /// This device, its region or its app may not emulate cards.
    case systemEligibilityFailed
    /// Emulation stopped while an answer was owed.
    case emulationStopped
    /// The radio is off, or the reader that stands for it is not there.
    case radioDisabled
  }

  /// What kind of failure it was.
  public let code: Code
  /// What was wrong and what to do: a sentence for people. Never card data.
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
  /// What the end of a link means for its session; nil stands for a link that somebody stopped.
  init(_ error: LinkError?) {
    guard let error else {
      self.init(.emulationStopped, "the link was stopped under the session: begin another session on a new link")
      return
    }
    switch error.code {
    case .readerUnavailable: self.init(.radioDisabled, error.reason)
    case .stopped: self.init(.emulationStopped, error.reason)
    default: self.init(.systemNotAvailable, error.reason)
    }
  }
}

/// Why an answer to an APDU was not taken.
public enum AnswerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The APDU was answered before: a fault of the program. The first answer is the one that was sent.
  case alreadyAnswered
  /// `transmissionError`, after which the same APDU may be answered again, or `emulationStopped`.
  case notSent(EmulationError)

  /// A sentence.
  public var description: String {
    switch self {
    case .alreadyAnswered: "this APDU was answered already and its first answer stays: answer each APDU once"
    case .notSent(let error): error.reason
    }
  }
}
