internal import EMVTerminal
public import PaymentAcceptance
internal import DisplayText
internal import Octets
public import TapLatency

/// The latencies of commands over many taps, as percentiles in nanoseconds.
public struct LatencyReport: Encodable, Sendable {
  /// The percentiles of one command.
  public struct Row: Encodable, Sendable {
    /// The phase of the payment that sent the command, or `whole tap`.
    public let command: String
    /// How the times of its exchanges are distributed.
    public let times: Percentiles

    private enum CodingKeys: String, CodingKey {
      case command
    }

    /// Writes the percentiles beside the command.
    public func encode(to encoder: any Encoder) throws {
      try times.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(command, forKey: .command)
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
  public var rows: [Row] {
    names.compactMap { name in
      samples[name].flatMap(Percentiles.init(of:)).map { Row(command: name, times: $0) }
    }
  }

  /// The percentiles as a table in microseconds.
  ///
  /// - Parameter width: The columns of the terminal; nil for any number.
  public func table(width: Int? = nil) -> [String] {
    let rows = rows
    let table = PercentileTable(rows.map(\.times), in: .microseconds)
    let cells = zip(rows, table.cells).map { [$0.command] + $1 }
    return TextTable([[table.unit.rawValue] + table.heads] + cells, numbersAlign: .right).lines(width: width)
  }

  /// Writes the number of taps, the unit and the percentiles.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(taps, forKey: .taps)
    try container.encode("ns", forKey: .unit)
    try container.encode(rows, forKey: .commands)
  }
}
