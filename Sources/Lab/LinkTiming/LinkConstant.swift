/// A value on which the model rests, with its source.
public struct LinkConstant: Hashable, Sendable, Encodable {
  /// How well a value is known.
  public enum Grade: String, Sendable, Encodable, CaseIterable {
    /// A public document that was read.
    case document
    /// Public program text that was read.
    case code
    /// A published measurement.
    case published
    /// Computed from other values of the table.
    case calculated
    /// A standard from memory, not verified.
    case memory
    /// No source: a range that is assumed.
    case assumed
  }

  /// The unit of a value.
  public enum Unit: String, Sendable, Encodable {
    /// Cycles of the carrier of 13.56 MHz.
    case carrierCycles = "fc"
    case nanoseconds = "ns"
    case bytes
    case bits
    /// Thousandths of another value.
    case thousandths
    case count
    case bitsPerSecond = "bit/s"
  }

  /// What it is.
  public let name: String
  /// The least value.
  public let least: Int64
  /// The greatest value; the same as the least for a value that is known exactly.
  public let most: Int64
  /// The unit.
  public let unit: Unit
  /// How well it is known.
  public let grade: Grade
  /// Where it comes from.
  public let source: String

  init(_ name: String, _ range: ClosedRange<Int64>, _ unit: Unit, _ grade: Grade, _ source: String) {
    (self.name, least, most, self.unit) = (name, range.lowerBound, range.upperBound, unit)
    (self.grade, self.source) = (grade, source)
  }

  init(_ name: String, _ value: Int64, _ unit: Unit, _ grade: Grade, _ source: String) {
    self.init(name, value...value, unit, grade, source)
  }

  /// The value with its unit, such as `1172-1236 fc`.
  public var valueText: String { (least == most ? "\(least)" : "\(least)-\(most)") + " \(unit.rawValue)" }

  /// The value as a time. Cycles of the carrier become nanoseconds.
  var time: TimeRange {
    unit == .carrierCycles ? TimeRange(CarrierCycles.time(least), CarrierCycles.time(most)) : TimeRange(least, most)
  }

  /// The value as a number.
  var number: Int { Int(least) }
}

/// Cycles of the carrier of 13.56 MHz.
enum CarrierCycles {
  /// The time of some cycles in nanoseconds, rounded to the nearest one.
  static func time(_ count: Int64) -> Int64 { (count * 25_000 + 169) / 339 }
}
