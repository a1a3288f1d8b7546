public import Links

/// How a card of this process and a terminal of this process meet.
public enum TapConnection: Sendable {
  /// The terminal calls the card on the same thread.
  case direct
  /// Card and terminal on two threads.
  case loopback
  /// Through a reader of the machine.
  ///
  /// - link: Creates the link that puts the card into the reader.
  /// - field: Opens the field of the reader. Called on the terminal's thread.
  /// - absence: How long the reader must be empty before it notices a new card.
  case reader(
    name: String, link: @Sendable () throws -> any EmulationLink,
    field: @Sendable () throws(LinkError) -> any CardField, absence: Duration)

  /// The name in reports.
  public var name: String {
    switch self {
    case .direct: "direct"
    case .loopback: "loopback"
    case .reader(let name, _, _, _): name
    }
  }

  /// The number of whole payments when the commands are repeated; nil when each tap is a whole payment.
  var wholeTaps: Int? {
    switch self {
    case .direct: 64
    case .loopback: nil
    // A reader takes a second to notice the next card.
    case .reader: 3
    }
  }
}
