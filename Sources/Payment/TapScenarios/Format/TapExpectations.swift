public import EMVData
public import EMVTerminal
public import ISO7816
public import Links
internal import Octets

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
  /// What the display may say.
  public var messages: [CardholderMessage] = []
  /// How the cardholder may be verified.
  public var verifications: [CardholderVerificationMethod] = []
  /// Which cryptogram the card may give.
  public var cryptograms: [Cryptogram] = []
  /// The names, or the beginnings of the names, that the selected application may have.
  public var applications: [[UInt8]] = []
  /// Words that the reason of the outcome must hold, in any case of letters.
  public var reason: String?
  /// How the link may fail; empty when it must not.
  public var errors: [LinkError.Code] = []
  /// How many exchanges there may be.
  public var exchangeCount: ClosedRange<Int>?
  /// Data elements.
  public var elements: [ElementExpectation] = []
  /// Status words.
  public var statuses: [StatusExpectation] = []
  /// How long commands may take.
  public var budgets: [TimeBudget] = []
  /// How long all exchanges together may take, in nanoseconds.
  public var wholeTap: Int64?
}

/// Status words that commands may be answered with.
public struct StatusExpectation: Hashable, Sendable {
  /// Which commands.
  public let commands: CommandSelector
  /// The patterns: four hexadecimal digits, or two and `xx`.
  public let patterns: [String]

  func allows(_ status: [UInt8]) -> Bool {
    patterns.contains { pattern in zip(pattern, status.hex).allSatisfy { $0 == "x" || $0 == $1 } }
  }
}

/// A time that commands may take, from the hand-over to the link until the response is back.
public struct TimeBudget: Hashable, Sendable {
  /// Which commands.
  public let commands: CommandSelector
  /// For each of them, in nanoseconds.
  public let nanoseconds: Int64
}

/// What a data element must be.
public struct ElementExpectation: Hashable, Sendable {
  /// A condition on a value.
  public enum Condition: Hashable, Sendable {
    /// It came, from either side.
    case present
    /// It did not come.
    case absent
    /// These octets.
    case equals([UInt8])
    /// These octets where the mask has ones.
    case masked([UInt8], mask: [UInt8])
    /// So many octets.
    case length(ClosedRange<Int>)
    /// One bit, counted as in the books, with its name.
    case bit(octet: Int, bit: Int, name: String, isSet: Bool)
    /// A group of bits of one octet, counted as in the books, with its name.
    case field(octet: Int, bits: ClosedRange<Int>, name: String, value: UInt8)
  }

  /// The element's tag.
  public let tag: Tag
  /// What is asked of it.
  public let condition: Condition
}
