/// The times that bound a payment session.
public struct SessionLimits: Equatable, Sendable {
  /// From the start of emulation to its end, completed or not: 60 s, as phones have it.
  public var emulation: Duration
  /// How long a verification of the holder counts. No source publishes the figure, so it is a parameter.
  public var verificationValidity: Duration
  /// How long a card that has paid or refused stays in the field, for a terminal that still wants to read.
  public var linger: Duration

  /// Creates limits.
  public init(
    emulation: Duration = .seconds(60), verificationValidity: Duration = .seconds(60), linger: Duration = .seconds(1)
  ) {
    self.emulation = emulation
    self.verificationValidity = verificationValidity
    self.linger = linger
  }

  /// The usual limits.
  public static let standard = SessionLimits()
}
