/// Whether other programs may use a card at the same time.
public enum PCSCSharing: Sendable {
  /// No other program; connecting fails while another program uses the card. `SCARD_SHARE_EXCLUSIVE`.
  case exclusive
  /// Other programs too, outside of transactions. `SCARD_SHARE_SHARED`.
  case shared
}

/// What happens to the card at the end of a transaction or connection.
public enum PCSCDisposition: Sendable {
  /// The card keeps its state. `SCARD_LEAVE_CARD`.
  case leave
  /// The card is reset, and its protocol is chosen again. `SCARD_RESET_CARD`.
  case reset
}

/// The state of a reader and of the card in it, as the reader service reports it.
public struct PCSCReaderStatus: Equatable, Sendable {
  /// The reader's full name. Each slot of a reader has its own name.
  public let name: String
  /// The card's answer to reset; nil without a card, empty for a card that does not answer.
  public let card: [UInt8]?
  /// Whether a program uses the card in shared mode.
  public let isInUse: Bool
  /// Whether a program uses the card exclusively.
  public let isExclusive: Bool
  /// Whether the driver cannot communicate with the reader any more (`SCARD_STATE_UNAVAILABLE`), as after a halted
  /// transfer.
  public let isUnresponsive: Bool
  /// The number of insertions and removals, modulo 65536.
  public let generation: UInt16

  /// Creates a status.
  public init(
    name: String, card: [UInt8]?, isInUse: Bool = false, isExclusive: Bool = false, isUnresponsive: Bool = false,
    generation: UInt16 = 0
  ) {
    self.name = name
    self.card = card
    self.isInUse = isInUse
    self.isExclusive = isExclusive
    self.isUnresponsive = isUnresponsive
    self.generation = generation
  }
}
