public import EMVTerminal
public import Links
public import Octets
public import PaymentAcceptance

/// A terminal in this process that scenarios judge.
public protocol TestedTerminal: Sendable {
  /// Takes a payment. Called on the thread that serves the card.
  func pay<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, _ equipment: TerminalEquipment, at field: inout Field
  ) -> PaymentResult
}

/// What a terminal in this process works with.
public struct TerminalEquipment: Sendable {
  /// The terminal's configuration.
  public var configuration: TerminalConfiguration
  /// The host.
  public var host: any AuthorizationHost
  /// The clock, which only the waits of this payment advance.
  public var clock: ManualClock
  /// How often and for how long a payment is tried again.
  public var restarts: RestartLimits

  /// The terminal of this project with this equipment.
  ///
  /// - Parameter random: The source of the unpredictable numbers.
  public func terminal(random: any RandomSource = SystemRandomSource()) -> PaymentAcceptance {
    PaymentAcceptance(configuration: configuration, host: host, clock: clock, random: random, restarts: restarts)
  }
}

/// The terminal of this project.
public struct OwnTerminal: TestedTerminal {
  /// Creates the terminal.
  public init() {}

  /// Takes a payment.
  public func pay<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, _ equipment: TerminalEquipment, at field: inout Field
  ) -> PaymentResult {
    equipment.terminal().result(of: request, at: &field)
  }
}
