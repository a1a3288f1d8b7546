/// The time limits of card emulation.
public struct EmulationLimits: Equatable, Sendable {
  /// From `startEmulation(on:)` to the end of the session: 60 s, as on phones.
  public var emulation: Duration
  /// From the end of an emulation to the next one in the same session. No public source gives a value, so it is a
  /// parameter.
  public var coolDown: Duration
  /// How long the link's thread waits for one response; then the terminal receives `6F00`. Measured in real time.
  public var answer: Duration

  /// Creates limits.
  public init(
    emulation: Duration = .seconds(60), coolDown: Duration = .seconds(5), answer: Duration = .seconds(5)
  ) {
    self.emulation = emulation
    self.coolDown = coolDown
    self.answer = answer
  }

  /// The default limits.
  public static let standard = EmulationLimits()
}
