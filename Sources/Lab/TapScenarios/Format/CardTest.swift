public import ISO7816

/// What a scenario with `steps` has beside the keys of every scenario: the commands that judge a card, and what the card
/// must answer.
public struct CardTest: Hashable, Sendable {
  /// Its place in a pack.
  public let identity: PackTest
  /// Whether the test spends many uses or may block the card.
  public let isDestructive: Bool
  /// The beginning of the name of the application that is judged; empty for the first one of the directory.
  public let application: [UInt8]
  /// The kernel of that application as its entry in the directory names it (tag 9F2A), 1...63; nil for any. An entry without
  /// the tag has every kernel.
  public let kernel: Int?
  /// The terminal's values for the lists of the card, in place of the default ones.
  public let values: [Tag: [UInt8]]
  /// The steps of each tap, in order.
  public let steps: [CardStep]
  /// What must come of all steps together.
  public let expectations: CardExpectations
}

/// One step of a tap.
public struct CardStep: Hashable, Sendable {
  /// What the terminal does.
  public enum Action: Hashable, Sendable {
    /// Sends a command, or several for the records of the AFL.
    case send(CardCommandForm)
    /// Switches the field off and on.
    case reset
    /// Waits this many milliseconds.
    case wait(Int)
  }

  /// What the terminal does.
  public let action: Action
  /// What the card must answer to each command of the step.
  public let expectations: CardStepExpectations
}

/// A command before its values are filled in.
public struct CardCommandForm: Hashable, Sendable {
  /// The command whose bytes the form begins with.
  public enum Kind: Hashable, Sendable {
    /// These bytes.
    case bytes([UInt8])
    /// SELECT of the directory.
    case selectDirectory
    /// SELECT of the application that is judged.
    case selectApplication
    /// GET PROCESSING OPTIONS with the values of the PDOL.
    case processingOptions
    /// READ RECORD of one record of the AFL, by its position from 1.
    case readRecord(Int)
    /// READ RECORD of every record of the AFL.
    case readRecords
    /// GENERATE AC with the values of the CDOL1, for an ARQC.
    case generateAC
    /// The command with which the card's kernel computes; none for a card that does with GET PROCESSING OPTIONS.
    case cryptogram
    /// COMPUTE CRYPTOGRAPHIC CHECKSUM with the values of the UDOL.
    case computeChecksum
    /// EXCHANGE RELAY RESISTANCE DATA with the terminal's unpredictable number.
    case exchangeRelayData
    /// GET DATA of the transaction counter.
    case getData
  }

  /// Le.
  public enum ExpectedLength: Hashable, Sendable {
    /// The command has no Le.
    case none
    /// This byte.
    case octet(UInt8)
  }

  /// The command.
  public var kind: Kind
  /// The class in place of the command's own.
  public var cla: UInt8?
  /// The instruction in place of the command's own.
  public var ins: UInt8?
  /// P1 in place of the command's own.
  public var p1: UInt8?
  /// P2 in place of the command's own.
  public var p2: UInt8?
  /// The data in place of the command's own.
  public var data: [UInt8]?
  /// Le in place of 00.
  public var le: ExpectedLength?
  /// The terminal's values for this command, in place of those of the test.
  public var values: [Tag: [UInt8]] = [:]
}

/// What a card must answer to a command. Only what is named is checked.
public struct CardStepExpectations: Hashable, Sendable {
  /// Patterns of status words: four hexadecimal digits, each of which may be `x`.
  public var statuses: [String] = []
  /// The data elements of the response.
  public var elements: [ElementExpectation] = []
  /// The longest time in nanoseconds; a longer one is a warning.
  public var longest: Int64?
}

/// What must come of a tap of a card, beside its steps.
public struct CardExpectations: Hashable, Sendable {
  /// The rules that all responses must follow.
  public var rules: [CardRule] = []
  /// The data elements that the card sent last.
  public var elements: [ElementExpectation] = []
  /// The data elements whose value must be another one each time they are sent, in all taps.
  public var fresh: [Tag] = []
  /// The data elements that must always have the same value, in all taps.
  public var constant: [Tag] = []
  /// The data elements whose value, as a number, must be higher each time they are sent, in all taps.
  public var rising: [Tag] = []
  /// The commands whose successful responses must differ, in all taps.
  public var distinct: [CommandSelector] = []
  /// The longest times of commands; a longer one is a warning.
  public var budgets: [TimeBudget] = []
  /// The longest time of all exchanges together, in nanoseconds; a longer one is a warning.
  public var wholeTap: Int64?
}

/// A rule for the responses of a card that needs nothing but the commands of the terminal.
public enum CardRule: String, CaseIterable, Sendable {
  /// A response is one template: 6F, 70, 77 or 80 as its command demands (EMV 4.4 Book 1, 11.3.4; Book 3, 6.5).
  case form = "form of responses"
  /// No data object occurs twice in the options and records (EMV 4.4 Book 3, 10.2).
  case once = "data objects once"
  /// The AFL is well formed, and each of its records is there (EMV 4.4 Book 3, 10.2).
  case records = "records of the AFL"
  /// The directory has an entry with a name for each application (EMV Contactless Book B, 3.3.2).
  case directory = "entries of the directory"
  /// The response to SELECT names an application that begins as it was selected (EMV 4.4 Book 1, 11.3.4).
  case name = "name of the application"
  /// The data that every kernel with GENERATE AC needs: 5A, 5F24, 8C (EMV 4.4 Book 3, 7.2).
  case mandatory = "mandatory data"
  /// Tag 57 has the account number of tag 5A and the month of tag 5F24 (EMV 4.4 Book 3, annex A).
  case track = "track 2 data"
  /// Values have the lengths of the dictionary (EMV 4.4 Book 3, annex A).
  case lengths = "lengths of values"
  /// Numbers have decimal digits, and dates are those of the calendar (EMV 4.4 Book 3, 4.3 and annex A).
  case formats = "formats of values"
  /// Texts have the characters of their format (EMV 4.4 Book 3, annex A).
  case texts = "texts"
  /// No tag occurs twice in one template (EMV 4.4 Book 3, 10.2).
  case single = "data objects once in a template"
  /// A length has no more bytes than it needs (EMV 4.4 Book 3, annex B2).
  case shortest = "shortest lengths"
  /// The data that the AIP promises are there and fit each other (EMV 4.4 Book 3, 7.2; Book 2, 5 and 6).
  case promises = "promises of the AIP"
  /// The list of cardholder verification methods is there when the AIP promises it, and a terminal can read it (EMV 4.4 Book 3,
  /// 10.5).
  case methods = "cardholder verification methods"
  /// The list of the terminal's data for the cryptogram has amount, currency and the terminal's number (EMV 4.4 Book 2, 8.1.1).
  case inputs = "data of the cryptogram"
  /// The application has not expired at the terminal's date (EMV 4.4 Book 3, 10.4.3).
  case validity = "dates of the application"
  /// Tag 9F07 allows some kind of payment (EMV 4.4 Book 3, 10.4.2).
  case usage = "usage control"
  /// The directory says of an application what its own response to SELECT says (EMV 4.4 Book 1, 12.2.3 and 12.2.4).
  case agreement = "agreement with the directory"
  /// The card's certificate covers its static data, and its signature the payment (EMV 4.4 Book 2, 5 and 6).
  case authentication = "offline data authentication"
}
