/// The time of an exchange, or of a tap, by where it goes.
public struct TapParts: Hashable, Sendable, Encodable {
  /// A part of a tap.
  public enum Part: String, Sendable, CaseIterable {
    /// The work of the card, and its waits before frames.
    case card
    /// Frames on the air.
    case air
    /// The waits of the reader before its frames, and its own work.
    case reader
    /// The line between reader and terminal.
    case host
    /// The work of the terminal between two commands.
    case terminal
  }

  /// The card.
  public var card = TimeRange.zero
  /// The air.
  public var air = TimeRange.zero
  /// The reader.
  public var reader = TimeRange.zero
  /// The line between reader and terminal.
  public var host = TimeRange.zero
  /// The terminal.
  public var terminal = TimeRange.zero

  /// Creates parts without time.
  public init() {}

  /// The time of a part.
  public subscript(part: Part) -> TimeRange {
    switch part {
    case .card: card
    case .air: air
    case .reader: reader
    case .host: host
    case .terminal: terminal
    }
  }

  /// All parts together.
  public var whole: TimeRange { Part.allCases.reduce(.zero) { $0 + self[$1] } }

  /// From the command's hand-over to the reader until its response is back: what a terminal measures.
  public var exchange: TimeRange { card + air + reader + host }

  /// Adds each part.
  public static func + (first: TapParts, second: TapParts) -> TapParts {
    var sum = first
    sum.card += second.card
    sum.air += second.air
    sum.reader += second.reader
    sum.host += second.host
    sum.terminal += second.terminal
    return sum
  }
}
