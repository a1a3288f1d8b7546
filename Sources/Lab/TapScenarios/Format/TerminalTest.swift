public import CardFaults
public import DeviceAuthentication
public import ISO7816
public import JSON

/// What a scenario with `role: card` has beside the keys of every scenario: the card that a terminal is judged with, and
/// what the terminal must do.
public struct TerminalTest: Hashable, Sendable {
  /// The card, and what it does.
  public struct Card: Hashable, Sendable {
    /// A card profile, relative to the scenario's file.
    public var file = ""
    /// Changes of the profile, in this order: a path such as `applications[0].aip`, and the new value; nil removes it.
    public var changes: [Change] = []
    /// Changes of the responses on the wire; nil for none.
    public var plan: CardFaultPlan?
    /// How the cardholder must be verified.
    public var policy = CardholderVerificationPolicy.biometricOnly
    /// Whether the cardholder is verified before the tap; otherwise the card can only refuse.
    public var isVerified = true
    /// Whether the verification has expired when the terminal comes, so that the card refuses the payment.
    public var isExpired = false
    /// After which exchange of a presentation the card leaves, once in a payment; nil for a card that stays.
    public var leavesAfter: Int?
    /// After how many bytes of the response of that exchange the card leaves, 2...255; nil for a card that leaves before
    /// its response. A response of no more bytes is lost as well.
    public var leavesAfterOctets: Int?
    /// Whether a card that left comes back when the terminal waits for a card.
    public var comesBack = true
    /// How long a card that left stays away, 1...120000 ms; nil for a card that comes back at once.
    public var comesBackAfter: Int?
    /// After how many milliseconds the card is tapped once more when the payment is over, 1...120000; nil for a card that
    /// is not.
    public var tapsAgainAfter: Int?
  }

  /// One change of a card profile.
  public struct Change: Hashable, Sendable {
    /// Keys and indices, such as `applications[0].records[1].data`.
    public let path: String
    /// The new value; nil removes the key or the element.
    public let value: JSONValue?
  }

  /// Its place in a pack.
  public let identity: PackTest
  /// The methods of cardholder verification that the terminal must have; without one of them the test does not apply.
  public let needs: [TestedCapabilities.Verification]
  /// The amounts of the taps, in order; a test with more taps begins again with the first.
  public let amounts: [TestAmount]
  /// The card.
  public let card: Card
  /// What the terminal must do in each tap.
  public let expectations: TerminalExpectations
}

/// What a terminal must do in a tap. Only what is named is checked.
public struct TerminalExpectations: Hashable, Sendable {
  /// What a person sees on the terminal at the end of a tap.
  public enum Shown: String, CaseIterable, Sendable {
    /// The payment is approved.
    case approved
    /// The payment is declined.
    case declined
    /// The cardholder must do something on the phone.
    case seePhone = "see phone"
    /// The cardholder must use another card or another interface.
    case otherCard = "other card"
  }

  /// One part of the sequence of commands: one of some commands, a number of times.
  public struct Step: Hashable, Sendable {
    /// The names of the alternatives, as a recording names commands.
    public let names: [String]
    /// How often.
    public let counts: ClosedRange<Int>
  }

  /// The bytes of commands.
  public struct Form: Hashable, Sendable {
    /// The commands.
    public let commands: CommandSelector
    /// Two hexadecimal digits or `xx` for each byte from the first one on; further bytes are not checked.
    public let pattern: String
  }

  /// All commands of the tap, in order; GET RESPONSE and commands that are sent again with the right Le do not count.
  public var sequence: [Step] = []
  /// The allowed number of exchanges.
  public var exchangeCount: ClosedRange<Int>?
  /// How often the terminal presents its field to the card: the card receives a command after each power-on.
  public var presentations: ClosedRange<Int>?
  /// The names of the applications that are selected, in order.
  public var applications: [[UInt8]] = []
  /// The rules that every command must follow.
  public var rules: [TerminalRule] = []
  /// The bytes of commands.
  public var forms: [Form] = []
  /// The data elements that the terminal sent last.
  public var elements: [ElementExpectation] = []
  /// The data elements that must have the value of the payment: 9F02, 9F03, 5F2A, 9A, 9C.
  public var entered: [Tag] = []
  /// Whether tag 9F66 must be that of the terminal's capabilities, but for byte 2 bits 8 and 7, which a payment sets.
  public var isConfigured = false
  /// The data elements whose value must be another one in each tap of the test and in each presentation.
  public var fresh: [Tag] = []
  /// What a person may see at the end of the tap.
  public var shown: [Shown] = []
  /// The longest times of the terminal before commands: from the response before to the command.
  public var budgets: [TimeBudget] = []
  /// The longest time of the terminal in a presentation, in nanoseconds: the times before all commands together.
  public var wholeTap: Int64?
}

/// A rule for the commands of a terminal that needs nothing but the responses of the card.
public enum TerminalRule: String, CaseIterable, Sendable {
  /// Every record of the AFL is read once, in order (EMV 4.4 Book 3, 10.2).
  case records = "records of the AFL"
  /// Class, P1-P2, Lc and Le are those of the command (EMV 4.4 Book 3, 6.5; Book 1, 11.3.2).
  case form = "form of commands"
  /// GET PROCESSING OPTIONS carries template 83 with as many bytes as the PDOL asks for (EMV 4.4 Book 3, 5.4 and 6.5.8).
  case processingData = "data of GET PROCESSING OPTIONS"
  /// GENERATE AC carries as many bytes as the CDOL asks for (EMV 4.4 Book 3, 5.4 and 6.5.5).
  case cryptogramData = "data of GENERATE AC"
  /// COMPUTE CRYPTOGRAPHIC CHECKSUM carries as many bytes as the UDOL asks for.
  case checksumData = "data of COMPUTE CRYPTOGRAPHIC CHECKSUM"
  /// After an AAC no further cryptogram is asked for in the presentation (EMV 4.4 Book 3, 9.3).
  case declineIsFinal = "nothing after an AAC"
}
