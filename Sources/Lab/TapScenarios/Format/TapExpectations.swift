public import EMVData
public import EMVTerminal
public import ISO7816
public import Links
internal import Octets
public import PaymentAcceptance

/// What must come of a tap. Only what is named is checked: an empty list or nil stands for nothing in particular.
public struct TapExpectations: Hashable, Sendable {
  /// A cryptogram, as far as its kind goes.
  public enum Cryptogram: Hashable, Sendable, CustomStringConvertible {
    /// The card gave none.
    case none
    /// The dynamic checksum of kernel 2's mag-stripe mode, CVC3.
    case checksum
    /// An application cryptogram.
    case type(CryptogramType)

    /// `none`, `CVC3`, `ARQC`, `TC` or `AAC`.
    public var description: String {
      switch self {
      case .none: "none"
      case .checksum: "CVC3"
      case .type(let type): type.rawValue
      }
    }
  }

  /// How the payment may end.
  public var outcomes: [PaymentOutcome.Kind] = []
  /// The messages that the display may show.
  public var messages: [CardholderMessage] = []
  /// All messages that the display must show, in order.
  public var display: [CardholderMessage] = []
  /// The values that parameters of the outcome may have: `none` for a parameter without a value.
  public var parameters: [OutcomeParameter: [String]] = [:]
  /// Words that the reason of an application that was left out must hold, in any case of letters.
  public var leftOut: String?
  /// The ways in which the cardholder may be verified.
  public var verifications: [CardholderVerificationMethod] = []
  /// The kinds of cryptogram that the card may give.
  public var cryptograms: [Cryptogram] = []
  /// The kinds of cryptogram that the card may give after the issuer's response.
  public var secondCryptograms: [Cryptogram] = []
  /// What the issuer may have done to the card. Checked for a card in this process only.
  public var cardConditions: [CardCondition] = []
  /// The names, or the beginnings of the names, that the selected application may have.
  public var applications: [[UInt8]] = []
  /// Words that the reason of the outcome must hold, in any case of letters.
  public var reason: String?
  /// The errors with which the link may fail; empty when it must not fail.
  public var errors: [LinkError.Code] = []
  /// The allowed number of exchanges.
  public var exchangeCount: ClosedRange<Int>?
  /// Data elements.
  public var elements: [ElementExpectation] = []
  /// Status words.
  public var statuses: [StatusExpectation] = []
  /// The longest times of commands.
  public var budgets: [TimeBudget] = []
  /// The longest time of all exchanges together, in nanoseconds.
  public var wholeTap: Int64?
}

/// Status words that commands may be answered with.
public struct StatusExpectation: Hashable, Sendable {
  /// The commands.
  public let commands: CommandSelector
  /// The patterns: four hexadecimal digits, or two and `xx`.
  public let patterns: [String]

  func allows(_ status: [UInt8]) -> Bool {
    patterns.contains { pattern in zip(pattern, status.hex).allSatisfy { $0 == "x" || $0 == $1 } }
  }
}

/// A time that commands may take, from the hand-over to the link until the response is back.
public struct TimeBudget: Hashable, Sendable {
  /// The commands.
  public let commands: CommandSelector
  /// For each of them, in nanoseconds.
  public let nanoseconds: Int64
}

/// The expectation of a data element.
public struct ElementExpectation: Hashable, Sendable {
  /// A condition on a value.
  public enum Condition: Hashable, Sendable {
    /// The element was sent, by either side.
    case present
    /// The element was not sent.
    case absent
    /// These bytes.
    case equals([UInt8])
    /// These bytes where the mask has ones.
    case masked([UInt8], mask: [UInt8])
    /// A number of bytes.
    case length(ClosedRange<Int>)
    /// One bit, counted as in the books, with its name.
    case bit(octet: Int, bit: Int, name: String, isSet: Bool)
    /// A group of bits of one byte, counted as in the books, with its name.
    case field(octet: Int, bits: ClosedRange<Int>, name: String, value: UInt8)
  }

  /// The element's tag.
  public let tag: Tag
  /// The condition.
  public let condition: Condition
}
