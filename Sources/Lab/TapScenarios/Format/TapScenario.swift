public import EMVData
public import PaymentAcceptance

/// A tap test: the terminal, the amount, the prompt for the person at the reader, and the expectations. It judges a card,
/// or with `role: card` a terminal. With `steps` it judges a card by single commands.
///
/// Read from YAML or JSON; `Fixtures/Scenarios/README.md` describes the format.
public struct TapScenario: Hashable, Sendable {
  /// The terminal that takes the payment.
  public enum Terminal: Hashable, Sendable {
    /// The default terminal.
    case shipped
    /// A profile in a file, relative to the scenario's.
    case file(String)
    /// A profile in the scenario itself, as JSON.
    case inline([UInt8])
  }

  /// The host that decides on online requests.
  public enum Issuer: Hashable, Sendable {
    /// The test issuer, as it decides by itself.
    case test
    /// The test issuer with a response that the scenario orders.
    case ordered(IssuerOrder)
    /// No host.
    case none
  }

  /// The card of a loopback.
  public struct Card: Hashable, Sendable {
    /// A card profile, relative to the scenario's file; nil when the scenario names none.
    public var file: String?
    /// Whether the cardholder is verified; otherwise the card can only refuse.
    public var isVerified = true
    /// Whether the card commits the faults of its profile.
    public var isFaulty = false
  }

  /// The name of the test, 1 to 200 characters.
  public let name: String
  /// What the test is for; nil for none.
  public let description: String?
  /// The terminal.
  public let terminal: Terminal
  /// The amount in the currency's main unit, such as `12.34`, not yet checked against the terminal.
  public let amount: String
  /// What the payment is for; nil for a purchase, with cashback if there is one.
  public let kind: PaymentKind?
  /// The part of the amount that is paid out in cash, not yet checked against the terminal; nil for none.
  public let cashback: String?
  /// The currency's number or letters, not yet checked against the terminal.
  public let currency: String
  /// The terminal's date; nil for today.
  public let date: TransactionDate?
  /// The terminal's time; nil for now.
  public let time: TransactionTime?
  /// The host that decides on online requests.
  public let issuer: Issuer
  /// The prompt for the person at the reader before each tap; nil for the default prompt.
  public let prompt: String?
  /// The number of taps, 1...10000.
  public let repeatCount: Int
  /// The longest wait for a card in seconds, 1...3600; nil for the default.
  public let timeout: Int?
  /// Whether the taps spend many uses of the card or may block it.
  public let isDestructive: Bool
  /// How often the same payment is tried again after "see phone" and torn taps, 0...20.
  public let restarts: Int
  /// The card of a loopback.
  public let card: Card
  /// The expectations of each tap; empty for a scenario that judges a terminal.
  public let expectations: TapExpectations
  /// The card and what the terminal must do, for `role: card`; nil for a scenario that judges a card.
  public let terminalTest: TerminalTest?
  /// The steps that judge a card, for a scenario with `steps`; nil for any other.
  public let cardTest: CardTest?
}

extension TapScenario.Issuer {
  /// The host of a payment.
  ///
  /// - Parameter test: The test issuer; not made where the scenario has no host.
  func host(_ test: @autoclosure () -> any AuthorizationHost) -> any AuthorizationHost {
    switch self {
    case .test: test()
    case .ordered(let order): test().ordered(order)
    case .none: NoHost()
    }
  }
}
