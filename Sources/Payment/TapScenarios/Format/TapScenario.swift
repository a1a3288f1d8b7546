public import EMVData

/// A tap test as a person means it: which terminal, how much, what to do at the reader, and what must come of it.
///
/// Read from YAML or JSON; `Fixtures/Scenarios/README.md` describes the format.
public struct TapScenario: Hashable, Sendable {
  /// The terminal that takes the payment.
  public enum Terminal: Hashable, Sendable {
    /// The one inside the program.
    case shipped
    /// A profile in a file, relative to the scenario's.
    case file(String)
    /// A profile in the scenario itself, as JSON.
    case inline([UInt8])
  }

  /// The card of a loopback, where no person holds one.
  public struct Card: Hashable, Sendable {
    /// A card profile, relative to the scenario's file; nil when the scenario names none.
    public var file: String?
    /// Whether the device verifies its holder; without that the card can only refuse.
    public var isVerified = true
    /// Whether it answers wrongly, as the fault plan of its profile says.
    public var isFaulty = false
  }

  /// What the test is called, 1 to 200 characters.
  public let name: String
  /// What it is for; nil when it does not say.
  public let description: String?
  /// The terminal.
  public let terminal: Terminal
  /// The amount in the currency's main unit, such as `12.34`, not yet checked against the terminal.
  public let amount: String
  /// The part of the amount that is paid out in cash, not yet checked against the terminal; nil for none.
  public let cashback: String?
  /// The currency's number or letters, not yet checked against the terminal.
  public let currency: String
  /// The terminal's date; nil for today.
  public let date: TransactionDate?
  /// The terminal's time; nil for now.
  public let time: TransactionTime?
  /// Whether the test issuer decides on online requests; otherwise nobody does.
  public let hasIssuer: Bool
  /// What the person at the reader is told before each tap; nil for the usual sentence.
  public let prompt: String?
  /// How often the test is run, 1...10000.
  public let repeatCount: Int
  /// How long a card is waited for, in seconds, 1...3600; nil when the scenario leaves it open.
  public let timeout: Int?
  /// How often the same payment is tried again after "see phone" and torn taps, 0...20.
  public let restarts: Int
  /// The card of a loopback.
  public let card: Card
  /// What must come of each tap.
  public let expectations: TapExpectations
}
