internal import AccessMessages
internal import Documents
internal import JSON
public import Octets
internal import ServerStore

/// Faults that a server commits on purpose, for developers of clients. A plan comes from a file that the operator names; a
/// server without one commits none.
public struct FaultPlan: Hashable, Sendable {
  /// What the server does wrong.
  public enum Kind: Hashable, Sendable, CustomStringConvertible {
    /// Answers as for a token that has expired: status 1408 to a redemption, HTTP 401 to any other request.
    case expiredToken
    /// Answers 500.
    case serverError
    /// Answers later.
    case slow(milliseconds: Int)
    /// Closes the connection in the middle of the response.
    case cutConnection

    /// The name that the fault has in a plan.
    public var description: String {
      switch self {
      case .expiredToken: "expiredToken"
      case .serverError: "serverError"
      case .slow(let milliseconds): "slow, \(milliseconds) ms"
      case .cutConnection: "cutConnection"
      }
    }
  }

  /// One fault and the requests that it befalls.
  public struct Rule: Hashable, Sendable {
    /// What the server does wrong.
    public var kind: Kind
    /// The beginning of the paths that it befalls; empty for all.
    public var path: String
    /// How many of a hundred such requests it befalls, 1 to 100.
    public var percent: Int

    /// Creates a rule.
    public init(_ kind: Kind, path: String = "", percent: Int = 100) {
      (self.kind, self.path, self.percent) = (kind, path, percent)
    }
  }

  /// Chooses the requests. Equal seeds choose the same of the same sequence.
  public var seed: UInt64
  /// The rules. The first that befalls a request counts.
  public var rules: [Rule]
  /// How far the clock of the server is ahead, in milliseconds; negative when it is behind.
  public var clockSkew: Int64
  /// How much new hashes of passwords, PINs and answers cost. Most of the time of an enrolment is theirs, which
  /// `.minimal` saves the tests of a client.
  public var hashing: SecretHashing.Cost

  /// Creates a plan.
  public init(
    seed: UInt64 = 1, rules: [Rule] = [], clockSkew: Int64 = 0, hashing: SecretHashing.Cost = .standard
  ) {
    (self.seed, self.rules, self.clockSkew, self.hashing) = (seed, rules, clockSkew, hashing)
  }

  /// Reads a plan: `{"seed": 7, "clockSkewSeconds": 600, "hashing": "minimal", "faults": [{"fault": "slow",
  /// "milliseconds": 2000, "path": "/nevisfido/token/redeem", "percent": 50}]}`. The faults are `expiredToken`,
  /// `serverError`, `slow` and `cutConnection`; the hashing is `standard` or `minimal`.
  ///
  /// - Throws: `ConfigurationError` with all problems.
  public init(json octets: [UInt8]) throws(ConfigurationError) {
    self = try ConfigurationError.reporting(in: octets) { reader in
      FaultPlan(
        seed: UInt64(reader.optionalInteger("seed", in: 0...Int.max) ?? 1),
        rules: reader.optionalObjects("faults", Self.rule) ?? [],
        clockSkew: Int64(reader.optionalInteger("clockSkewSeconds", in: -31_536_000...31_536_000) ?? 0) * 1_000,
        hashing: reader.optionalChoice("hashing", of: [("standard", .standard), ("minimal", .minimal)]) ?? .standard)
    }
  }

  private static func rule(_ reader: inout ObjectReader) -> Rule {
    let names = ["expiredToken", "serverError", "slow", "cutConnection"]
    let kind: Kind =
      switch reader.choice("fault", of: names.map { ($0, $0) }) {
      case "slow": .slow(milliseconds: reader.integer("milliseconds", in: 1...600_000))
      case "serverError": .serverError
      case "cutConnection": .cutConnection
      default: .expiredToken
      }
    return Rule(
      kind, path: reader.optionalText("path", characters: 0...512) ?? "",
      percent: reader.optionalInteger("percent", in: 1...100) ?? 100)
  }
}

/// A clock that is ahead of another one, or behind it.
public struct SkewedWallClock: WallClock {
  private let base: any WallClock
  private let milliseconds: Int64

  /// Creates a clock.
  public init(_ base: any WallClock, aheadBy milliseconds: Int64) {
    (self.base, self.milliseconds) = (base, milliseconds)
  }

  /// The present moment of the other clock and the difference.
  public var now: WallTime {
    let moment = base.now.epochMilliseconds + milliseconds
    let seconds = moment >= 0 ? moment / 1_000 : (moment - 999) / 1_000
    return WallTime(seconds: seconds, milliseconds: Int(moment - seconds * 1_000))
  }
}
