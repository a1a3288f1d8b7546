public import EMVData
internal import Octets

/// How kernel 2 measures the distance of a card: EXCHANGE RELAY RESISTANCE DATA. The arithmetic is that of EMV
/// Contactless Book C-8 v1.0, 6.3.5; that kernel 2 does the same, with these values, is said by open terminals only.
/// Times are numbers of 100 microseconds.
public struct RelayResistance: Hashable, Sendable {
  /// How often a card that was too slow is asked again, 0...2.
  public var furtherTries = 2
  /// Tag DF8132.
  public var minimumGrace = 20
  /// Tag DF8133.
  public var maximumGrace = 50
  /// Tag DF8134: what the command takes on the air.
  public var commandTime = 18
  /// Tag DF8135: what the answer takes on the air.
  public var responseTime = 24
  /// Tag DF8136.
  public var accuracy = 300
  /// Tag DF8137, in percent.
  public var mismatch = 50

  /// Creates settings; those left out are what open terminals use.
  public init(
    furtherTries: Int = 2, minimumGrace: Int = 20, maximumGrace: Int = 50, commandTime: Int = 18,
    responseTime: Int = 24, accuracy: Int = 300, mismatch: Int = 50
  ) {
    self.furtherTries = furtherTries
    self.minimumGrace = minimumGrace
    self.maximumGrace = maximumGrace
    self.commandTime = commandTime
    self.responseTime = responseTime
    self.accuracy = accuracy
    self.mismatch = mismatch
  }

  /// What a card answered: template 80 with ten octets.
  public struct Answer: Hashable, Sendable {
    /// Tag DF8302: four octets that the card drew.
    public let entropy: [UInt8]
    /// Tag DF8303: how long the card needs at least.
    public let minimum: Int
    /// Tag DF8304: how long it needs at most.
    public let maximum: Int
    /// Tag DF8305: how long the answer is on the air, as the card reckons.
    public let responseTime: Int

    /// Reads the response data, or nil when they are not `80 0A` and ten octets.
    public init?(_ octets: [UInt8]) {
      guard octets.count == 12, octets[0] == 0x80, octets[1] == 10 else { return nil }
      func number(_ index: Int) -> Int { Int(octets[index]) << 8 | Int(octets[index + 1]) }
      entropy = Array(octets[2..<6])
      minimum = number(6)
      maximum = number(8)
      responseTime = number(10)
    }
  }

  /// What a measurement leads to.
  public enum Verdict: Hashable, Sendable {
    /// Faster than the card can be: somebody else answered.
    case tooFast
    /// Too slow; another try is left.
    case again
    /// Measured; the bits go into the terminal verification results.
    case measured(TerminalVerificationResults)
  }

  /// Judges a measurement.
  ///
  /// - Parameters:
  ///   - answer: What the card says of its own times.
  ///   - elapsed: From the command's first octet to the answer's last.
  ///   - furtherTriesDone: How many tries there were after the first.
  public func judge(_ answer: Answer, elapsed: Duration, furtherTriesDone: Int) -> Verdict {
    let total = Int(min(max(elapsed.nanoseconds, 0) / 100_000, Self.longest))
    let measured = max(0, total - commandTime - min(answer.responseTime, responseTime))
    if measured < max(0, answer.minimum - minimumGrace) { return .tooFast }
    let isSlow = measured > answer.maximum + maximumGrace
    if isSlow, furtherTriesDone < furtherTries { return .again }
    var results = TerminalVerificationResults.relayPerformed
    if isSlow { results.insert(.relayTimeExceeded) }
    if differs(answer.responseTime) || measured - answer.minimum > accuracy { results.insert(.relayThresholdExceeded) }
    return .measured(results)
  }

  // An hour: what took longer is as slow as can be.
  private static let longest: Int64 = 36_000_000

  // Either estimate less than so many percent of the other.
  private func differs(_ estimate: Int) -> Bool {
    estimate * 100 < mismatch * responseTime || responseTime * 100 < mismatch * estimate
  }
}
