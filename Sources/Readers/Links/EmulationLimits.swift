/// The times that bound card emulation.
public struct EmulationLimits: Equatable, Sendable {
  /// From `startEmulation(on:)` to the end of the session: 60 s, as phones have it.
  public var emulation: Duration
  /// From the end of an emulation to the next in the same session. No source publishes the figure, so it is a
  /// parameter.
  public var coolDown: Duration
  /// How long the link's thread waits for one answer; then the terminal is told `6F00`. Measured in real time.
  public var answer: Duration

  /// Creates limits.
  public init(
    emulation: Duration = .seconds(60), coolDown: Duration = .seconds(5), answer: Duration = .seconds(5)
  ) {
    self.emulation = emulation
    self.coolDown = coolDown
    self.answer = answer
  }

  /// The usual limits.
  public static let standard = EmulationLimits()
}

/// Why an emulated card is no longer selected. The raw values are those of Android's host card emulation.
public enum DeactivationReason: Int, Equatable, Sendable, CaseIterable {
  /// The field is gone, or the card was reset or taken out of it.
  case linkLoss = 0
  /// The terminal selected another AID, or deselected the card.
  case deselected = 1
}
