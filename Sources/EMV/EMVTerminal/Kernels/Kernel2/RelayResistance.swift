public import EMVData
internal import Octets

/// The relay resistance protocol of kernel 2: the terminal measures the time of EXCHANGE RELAY RESISTANCE DATA. The
/// arithmetic is that of EMV Contactless Book C-8 v1.0, 6.3.5; open terminals use it, with these values, for kernel 2.
/// Times are in units of 100 microseconds; the default values are those of open terminals.
public struct RelayResistance: Hashable, Sendable {
  /// How often the exchange is repeated for a card that was too slow, 0...2.
  public var furtherTries = 2
  /// Tag DF8132: how much less than its stated minimum a card may take.
  public var minimumGrace = 20
  /// Tag DF8133: how much more than its stated maximum a card may take.
  public var maximumGrace = 50
  /// Tag DF8134: the time of the command on the air.
  public var commandTime = 18
  /// Tag DF8135: the time of the response on the air.
  public var responseTime = 24
  /// Tag DF8136: how much more than its stated minimum a card may take without being suspect.
  public var accuracy = 300
  /// Tag DF8137: how far the two estimates for the response may differ, in percent, 0...100.
  public var mismatch = 50

  /// The card's response: template 80 with ten bytes.
  public struct Answer: Hashable, Sendable {
    /// Tag DF8302: four random bytes of the card.
    public let entropy: [UInt8]
    /// Tag DF8303: the least time that the card needs.
    public let minimum: Int
    /// Tag DF8304: the most time that the card needs.
    public let maximum: Int
    /// Tag DF8305: the card's estimate of the time of the response on the air.
    public let responseTime: Int

    /// Reads the response data; nil when they are not `80 0A` and ten bytes.
    public init?(_ octets: [UInt8]) {
      guard octets.count == 12, octets[0] == 0x80, octets[1] == 10 else { return nil }
      func number(_ index: Int) -> Int { Int(octets[index]) << 8 | Int(octets[index + 1]) }
      entropy = Array(octets[2..<6])
      minimum = number(6)
      maximum = number(8)
      responseTime = number(10)
    }
  }

  /// The result of a measurement.
  public enum Verdict: Hashable, Sendable {
    /// The response came faster than the card can send it.
    case tooFast
    /// The response was too slow, and another exchange is allowed.
    case again
    /// The distance was measured. The bits are for tag 95.
    case measured(TerminalVerificationResults)
  }

  /// Evaluates a measurement.
  ///
  /// - Parameters:
  ///   - answer: The card's response.
  ///   - elapsed: The time from the first byte of the command to the last byte of the response.
  ///   - furtherTriesDone: The number of exchanges after the first one, 0...`furtherTries`.
  public func judge(_ answer: Answer, elapsed: Duration, furtherTriesDone: Int) -> Verdict {
    let measured = measured(answer, elapsed: elapsed)
    if measured < max(0, answer.minimum - minimumGrace) { return .tooFast }
    let isSlow = measured > answer.maximum + maximumGrace
    if isSlow, furtherTriesDone < furtherTries { return .again }
    var results = TerminalVerificationResults.relayPerformed
    if isSlow { results.insert(.relayTimeExceeded) }
    if differs(answer.responseTime) || measured - answer.minimum > accuracy { results.insert(.relayThresholdExceeded) }
    return .measured(results)
  }

  /// Returns the time that the card took, without that of command and response on the air.
  public func measured(_ answer: Answer, elapsed: Duration) -> Int {
    let total = Int(min(max(elapsed.nanoseconds, 0) / 100_000, Self.longest))
    return max(0, total - commandTime - min(answer.responseTime, responseTime))
  }

  // One hour: a longer time has the same result.
  private static let longest: Int64 = 36_000_000

  // Whether one estimate is less than `mismatch` percent of the other one.
  private func differs(_ estimate: Int) -> Bool {
    estimate * 100 < mismatch * responseTime || responseTime * 100 < mismatch * estimate
  }
}

// Bits of tag 95 that only kernel 2 has: no public book names them, open terminals agree. A public recording of a
// phone's payment confirms that a terminal with the protocol sets bit 1 for a card without it (TVR 0000008001, AIP
// 1B80).
extension TerminalVerificationResults {
  static let relayThresholdExceeded = Self(rawValue: mask(5, 4))
  static let relayTimeExceeded = Self(rawValue: mask(5, 3))
  static let relayPerformed = Self(rawValue: mask(5, 2))
  static let relayNotPerformed = Self(rawValue: mask(5, 1))
}
