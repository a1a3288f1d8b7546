/// What the terminal shows to the cardholder (EMV Contactless Book A, user interface request).
public struct UserInterfaceRequest: Hashable, Sendable {
  /// The state of the reader, which lights and tones signal.
  public enum Status: String, CaseIterable, Sendable {
    /// The reader takes no card now.
    case notReady = "not ready"
    /// No payment has begun.
    case idle
    /// The field is on, and the reader waits for a card.
    case readyToRead = "ready to read"
    /// The reader exchanges commands with the card.
    case processing
    /// The last command was sent.
    case cardRead = "card read successfully"
    /// The card cannot be read.
    case processingError = "processing error"
  }

  /// The message.
  public let message: CardholderMessage
  /// The state of the reader; nil where it stays as it was.
  public let status: Status?
  /// How long the message stays at least, in milliseconds, 0 or more.
  public let holdMilliseconds: Int
  /// The language of the text.
  public internal(set) var language: CardholderLanguage

  /// Creates a request.
  public init(
    _ message: CardholderMessage, _ status: Status?, holdMilliseconds: Int = 0,
    language: CardholderLanguage = .english
  ) {
    self.message = message
    self.status = status
    self.holdMilliseconds = holdMilliseconds
    self.language = language
  }

  /// The text on the display.
  public var text: String { message.text(in: language) }
}
