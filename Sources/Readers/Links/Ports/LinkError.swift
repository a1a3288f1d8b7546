/// Why a link to a card or to a terminal failed. All links throw this type; a card's status words are not errors.
public struct LinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Sendable {
    /// The card was removed, or does not respond any more.
    case cardRemoved
    /// More than one card is in the field, and none was selected.
    case severalCards
    /// The terminal left or switched its field off, and the link cannot continue.
    case terminalLost
    /// The reader was unplugged or is unknown.
    case readerUnavailable
    /// The service behind the readers (pcscd) does not run.
    case serviceUnavailable
    /// Another program uses the reader or the card.
    case busy
    /// The time limit has passed.
    case timedOut
    /// The wait was ended by `stop()`.
    case stopped
    /// The peer broke the link's protocol.
    case protocolViolation
    /// The exchange failed for a cause that the link cannot determine.
    case transmissionFailed
    /// A replay received a command that differs from the recording.
    case recordingDiffers
  }

  /// The kind of failure.
  public let code: Code
  /// What went wrong, where, and what to do next: a sentence. It contains no card data.
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
