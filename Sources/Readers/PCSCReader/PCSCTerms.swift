/// Who may use a card at the same time.
public enum PCSCSharing: Sendable {
  /// Nobody else; fails when somebody does already. `SCARD_SHARE_EXCLUSIVE`.
  case exclusive
  /// Others as well, outside of transactions. `SCARD_SHARE_SHARED`.
  case shared
}

/// What happens to the card at the end of a transaction or connection.
public enum PCSCDisposition: Sendable {
  /// Nothing: the next program finds it as it is. `SCARD_LEAVE_CARD`.
  case leave
  /// It is reset: the next program finds it fresh, its protocol not yet chosen. `SCARD_RESET_CARD`.
  case reset
  /// Its power is switched off. `SCARD_UNPOWER_CARD`.
  case unpower
  /// It is put out, where a reader can. `SCARD_EJECT_CARD`.
  case eject
}

/// A reader and the card in it, as the reader service sees them.
public struct PCSCReaderStatus: Equatable, Sendable {
  /// The reader's full name; a reader with two slots counts as two.
  public let name: String
  /// The answer to reset of the card in it; nil without a card, empty for a card that does not answer.
  public let card: [UInt8]?
  /// Whether a program uses the card and shares it.
  public let isInUse: Bool
  /// Whether a program has the card for itself.
  public let isExclusive: Bool
  /// Counts insertions and removals, modulo 65536.
  public let generation: UInt16

  /// Creates a status.
  public init(name: String, card: [UInt8]?, isInUse: Bool = false, isExclusive: Bool = false, generation: UInt16 = 0) {
    self.name = name
    self.card = card
    self.isInUse = isInUse
    self.isExclusive = isExclusive
    self.generation = generation
  }
}
