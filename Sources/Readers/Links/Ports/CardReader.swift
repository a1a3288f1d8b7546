/// A reader at which cards are tapped. Its functions block: call them on a thread of their own.
public protocol CardReader: Sendable {
  /// Checks that the reader is there.
  ///
  /// - Throws: `LinkError` when it is not.
  func check() throws(LinkError)

  /// Opens the reader for one tap or several. A reader with several slots waits for a card to learn which one it uses.
  ///
  /// - Parameter timeout: The longest wait for a card while the reader is opened.
  /// - Throws: `LinkError` when the reader cannot be opened.
  func open(timeout: Duration) throws(LinkError) -> OpenedReader

  /// Waits until no card is left at the reader. A reader that cannot detect this waits for 2 s.
  ///
  /// - Throws: `LinkError`: `.timedOut` for a card that stays.
  func waitForRemoval(timeout: Duration) throws(LinkError)
}

extension CardReader {
  /// Succeeds.
  public func check() throws(LinkError) {}

  /// Waits for 2 s.
  public func waitForRemoval(timeout: Duration) throws(LinkError) { pause(for: .seconds(2)) }
}

/// A reader that was opened.
public struct OpenedReader {
  /// The name of the reader, for the person who holds the card.
  public let name: String
  /// Its field, to which cards come.
  public var field: any CardField
  /// Leaves the reader as it was before; nil for a reader that was not changed. May be called on any thread, and more
  /// than once.
  public var restore: (@Sendable () -> Void)?

  /// Creates the description of a reader that was opened.
  public init(name: String, field: any CardField, restore: (@Sendable () -> Void)? = nil) {
    (self.name, self.field, self.restore) = (name, field, restore)
  }
}

/// A reader of which nothing is known but how a channel to its next card is opened.
public struct PoweredReader<Channel: CardChannel & ~Copyable>: CardReader {
  private let name: String
  private let connect: @Sendable (_ timeout: Duration) throws(LinkError) -> Channel

  /// Creates a reader.
  ///
  /// - Parameter connect: Waits for a card and opens a channel to it, as the closure of `PoweredField` does.
  public init(
    name: String, connect: @escaping @Sendable (_ timeout: Duration) throws(LinkError) -> Channel
  ) {
    (self.name, self.connect) = (name, connect)
  }

  /// Returns the reader with a `PoweredField`.
  public func open(timeout: Duration) -> OpenedReader {
    OpenedReader(name: name, field: PoweredField(open: connect))
  }
}
