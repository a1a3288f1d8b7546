public import ISO7816

/// The result of a step that did not go well, and the rule it broke. The payment may still go on, with the next
/// application for one; what cardholder and till are told is the `PaymentOutcome`.
public struct StepFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong.
  public enum Code: Hashable, Sendable {
    /// The amount is zero and the combination does not take that (Book B v2.11, 3.1.1.4).
    case zeroAmount
    /// The amount is at or above the reader contactless transaction limit (Book B, 3.1.1.5); for kernel 2, above it.
    case transactionLimit
    /// The card answered with this status word.
    case status(StatusWord)
    /// An answer is not of the form it must have; the sentence says where.
    case malformed(String)
    /// Tag 84 is another name than the one selected.
    case nameDiffers
    /// No application that both sides have, or none left (Book B, 3.3.2.7).
    case noCandidate
    /// The processing options data object list does not ask for tag 9F66 (Book B, 3.3.3.6).
    case qualifiersNotWanted
    /// The card wants more data than one command can carry.
    case tooManyProcessingOptions(count: Int, limit: Int)
    /// A mandatory data element is missing (Book C-3 v2.11, 5.4.2.1).
    case missing(Tag)
    /// A data element came more than once (Book C-3, 5.4.2.2; EMV 4.4 Book 3, 10.2).
    case duplicate(Tag)
    /// A data element has an impossible length.
    case length(Tag, count: Int)
    /// Tags 57 and 5A hold different account numbers.
    case accountNumbersDiffer
    /// The cryptogram is of the reserved type.
    case reservedCryptogram
    /// The card declined: an application authentication cryptogram (Book C-3, 5.4.3.2).
    case declinedByCard
    /// The card approved offline although an online cryptogram was asked for.
    case offlineApprovalNotAsked
    /// The card approved offline, and offline data authentication, which must prove that, is not built.
    case offlineApprovalNotProved
    /// The application has expired and may not go online (Book C-3, 5.5.1.1).
    case expired
    /// A cardholder verification is required and card and reader have none in common (Book C-3, 5.7.1).
    case verificationRequired
    /// The card says that the device verified its holder, but what it says is not covered (Book C-3, 5.7.1.2).
    case verificationNotTrusted
    /// The card has neither of the modes that the terminal has: EMV mode and mag-stripe mode (kernel 2).
    case modeNotSupported
    /// The relay resistance answer came faster than the card can be (kernel 2).
    case relayTooFast
    /// The terminal's or the issuer's action codes deny the payment (EMV 4.4 Book 3, 10.7).
    case deniedByActionCodes
    /// The card answered with another cryptogram than can follow from the one asked for (kernel 2).
    case cryptogramNotAsked
    /// The phone's holder has something to do first: tag DF4B (kernel 2).
    case holderNeeded
    /// The card gave no checksum, tag 9F61, and says that its holder need do nothing (kernel 2, mag-stripe mode).
    case declinedWithoutChecksum
    /// The positions in the card's tracks do not fit the tracks (kernel 2, mag-stripe mode).
    case trackNotFilled
    /// The card left, or the link to it broke, while an answer was awaited (Book C-3, 4.1.1.2).
    case linkLost
    /// The payment was tried again as often, or as long, as the till allows.
    case restartLimit(TerminalTransaction.RestartLimit)
    /// The host declined.
    case declinedByHost
  }

  /// Where it happened.
  public let phase: TransactionPhase
  /// What went wrong.
  public let code: Code

  @inline(never)
  package init(_ phase: TransactionPhase, _ code: Code) {
    self.phase = phase
    self.code = code
  }

  /// A sentence. Never card data.
  public var description: String { "\(phase.rawValue): \(code)" }
}

extension StepFailure.Code: CustomStringConvertible {
  /// A sentence. Never card data.
  public var description: String {
    switch self {
    case .zeroAmount: "an amount of zero is not taken"
    case .transactionLimit: "the amount reaches the contactless transaction limit"
    case .status(let status): "the card answered \(status), \(status.text)"
    case .malformed(let reason): reason
    case .nameDiffers: "tag 84 is another name than the one selected"
    case .noCandidate: "no application left that card and terminal both have"
    case .qualifiersNotWanted: "the list of wanted data (9F38) does not hold tag 9F66, without which there is no qVSDC"
    case .tooManyProcessingOptions(let count, let limit):
      "the card wants \(count) octets of data in one command: the limit is \(limit)"
    case .missing(let tag): "mandatory tag \(tag) is missing"
    case .duplicate(let tag): "tag \(tag) came more than once"
    case .length(let tag, let count): "tag \(tag) has \(count) octets"
    case .accountNumbersDiffer: "tags 57 and 5A hold different account numbers"
    case .reservedCryptogram: "the cryptogram is of the reserved type 11"
    case .declinedByCard: "the card declined (AAC)"
    case .offlineApprovalNotAsked: "the card approved offline (TC) although an online cryptogram was asked for"
    case .offlineApprovalNotProved: "the card approved offline (TC), and offline data authentication is not built"
    case .expired: "the application has expired and does not ask to go online"
    case .verificationRequired: "a cardholder verification is required, and card and terminal have none in common"
    case .verificationNotTrusted: "the card says that the device verified its holder, but nothing covers that"
    case .modeNotSupported: "card and terminal have no mode in common: EMV mode or mag-stripe mode"
    case .relayTooFast: "the relay resistance answer came faster than the card says it can"
    case .deniedByActionCodes: "the action codes of terminal or issuer deny the payment"
    case .cryptogramNotAsked: "the card gave another cryptogram than was asked for"
    case .holderNeeded: "the phone's holder has something to do on it first (tag DF4B)"
    case .declinedWithoutChecksum: "the card gave no checksum (tag 9F61) and asks its holder for nothing"
    case .trackNotFilled: "the positions for the digits of a transaction do not fit the card's tracks"
    case .linkLost: "the card left before it had answered"
    case .restartLimit(.count(let count)): "the payment was tried again \(count) times: that is the limit"
    case .restartLimit(.time(let time)): "the payment was tried again for \(time): that is the limit"
    case .declinedByHost: "the host declined"
    }
  }
}
