/// A step of the evidence that a user collects at a reader, in the order in which the steps are done.
public enum EvidenceStep: String, CaseIterable, Sendable {
  /// The descriptors of the reader are read from the USB bus.
  case descriptors
  /// The reader reports that it has no card.
  case empty
  /// The reader reports a card, and its answer to reset is well-formed.
  case cardIn
  /// The same command has the same response each time.
  case exchange
  /// The reader's commands of PC/SC for the identity of the card, and its firmware.
  case identity
  /// After a reset the card has the same answer to reset, and the same response to the same command.
  case reset
  /// A command of the longest short form reaches the card.
  case longCommand
  /// The terminal takes a payment.
  case payment
  /// A card that leaves during a command is reported as removed.
  case cardOut
  /// The card that left is found again, and answers.
  case cardBack
  /// The reader is gone from the list of readers after it was unplugged.
  case unplug
  /// The reader that was plugged in again finds the card.
  case plug

  /// What the user does for the step; nil for a step that the program does alone.
  public var instruction: String? {
    switch self {
    case .descriptors, .exchange, .identity, .reset, .longCommand, .payment: nil
    case .empty: "Take every card off the reader."
    case .cardIn: "Put one test card on the reader, and leave it there."
    case .cardOut: "Take the card off the reader."
    case .cardBack: "Put the card on the reader again, and leave it there."
    case .unplug: "Unplug the reader."
    case .plug: "Plug the reader in again, with the card on it."
    }
  }

  /// The number of the step, from 1.
  public var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}
