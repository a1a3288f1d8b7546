internal import EMVTerminal
public import PaymentAcceptance
internal import DisplayText

/// The latencies of commands over many taps, as percentiles in nanoseconds.
public struct LatencyReport: Encodable, Sendable {
  /// The percentiles of one command.
  public struct Row: Encodable, Sendable {
    /// The phase of the payment that sent the command, or `whole tap`.
    public let command: String
    /// The number of exchanges.
    public let count: Int
    /// The shortest time.
    public let minimum: Int64
    /// The median.
    public let p50: Int64
    /// The time that 90 % of the exchanges did not exceed.
    public let p90: Int64
    /// The time that 99 % of the exchanges did not exceed.
    public let p99: Int64
    /// The longest time.
    public let maximum: Int64

    private enum CodingKeys: String, CodingKey {
      case command, count
      case minimum = "min_ns"
      case p50 = "p50_ns"
      case p90 = "p90_ns"
      case p99 = "p99_ns"
      case maximum = "max_ns"
    }

    init(_ command: String, sorted: [Int64]) {
      // The nearest rank: the smallest value that this share of all values does not exceed.
      let at = { (percent: Int) in sorted[max(0, (sorted.count * percent + 99) / 100 - 1)] }
      self.command = command
      count = sorted.count
      (minimum, p50, p90, p99, maximum) = (sorted[0], at(50), at(90), at(99), sorted[sorted.count - 1])
    }
  }

  private enum CodingKeys: String, CodingKey {
    case taps, unit, commands
  }

  private static let wholeTap = "whole tap"

  /// The number of taps.
  public private(set) var taps = 0
  private var names: [String] = []
  private var samples: [String: [Int64]] = [:]

  /// Creates an empty report.
  public init() {}

  /// Adds the exchanges of one tap, and the tap as a whole.
  public mutating func add(_ exchanges: [Exchange]) {
    taps += 1
    for exchange in exchanges { add(exchange.phase.rawValue, exchange.nanoseconds) }
    add(Self.wholeTap, exchanges.reduce(0) { $0 + $1.nanoseconds })
  }

  private mutating func add(_ name: String, _ nanoseconds: Int64) {
    if samples[name] == nil {
      // The whole tap stays last.
      names.insert(name, at: names.last == Self.wholeTap ? names.count - 1 : names.count)
    }
    samples[name, default: []].append(nanoseconds)
  }

  /// The percentiles, with the commands in the order of a tap and the whole tap last.
  public var rows: [Row] { names.compactMap { name in samples[name].map { Row(name, sorted: $0.sorted()) } } }

  /// The percentiles as a table in microseconds.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func table(width: Int? = nil) -> [String] {
    let heads = ["us", "count", "min", "p50", "p90", "p99", "max"]
    let cells =
      [heads]
      + rows.map { row in
        [row.command, String(row.count)]
          + [row.minimum, row.p50, row.p90, row.p99, row.maximum].map { value in
            let tenths = value / 100
            return "\(tenths / 10).\(tenths % 10)"
          }
      }
    return TextTable(cells, numbersAlign: .right).lines(width: width)
  }

  /// Writes the number of taps, the unit and the percentiles.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(taps, forKey: .taps)
    try container.encode("ns", forKey: .unit)
    try container.encode(rows, forKey: .commands)
  }
}
