/// Why a link to a card or to a terminal failed. One type for all links; a card's status words are not errors.
public struct LinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of failure it was.
  public enum Code: String, Sendable {
    /// The card left, or was torn out in the middle.
    case cardRemoved
    /// The terminal left, or its field went away, and the link cannot go on.
    case terminalLost
    /// The reader was pulled out or is unknown.
    case readerUnavailable
    /// The service behind the readers (pcscd) is not there.
    case serviceUnavailable
    /// Somebody else uses the reader or the card.
    case busy
    /// No answer in time.
    case timedOut
    /// `stop()` ended the wait.
    case stopped
    /// The peer broke the link's protocol.
    case protocolViolation
    /// The exchange failed in a way the link cannot tell more of.
    case transmissionFailed
    /// A replay met a command that the recording does not hold.
    case recordingDiffers
  }

  /// What kind of failure it was.
  public let code: Code
  /// What was wrong, where, and what to do: a sentence for people. Never card data.
  public let reason: String

  /// Creates an error.
  @inline(never)
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }

  /// Errors are equal when their codes are.
  public static func == (left: LinkError, right: LinkError) -> Bool { left.code == right.code }
}
