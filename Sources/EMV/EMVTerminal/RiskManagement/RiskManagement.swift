internal import Documents
internal import EMVData
internal import JSON

/// The risk management of a terminal for one application: the key `riskManagement` of a terminal profile (EMV 4.4 Book 3,
/// 10.6). The floor limit and the exception list have no settings of their own.
public struct RiskManagement: Hashable, Sendable {
  /// The random selection; nil for none.
  public let randomSelection: RandomSelection?
  /// Whether the counters of a card with tags 9F14 and 9F23 are read.
  public let checksVelocity: Bool

  /// Returns the bits for tag 95 of the checks that need no command: exception list, floor limit, random selection.
  ///
  /// - Parameters:
  ///   - payment: What is checked.
  ///   - limits: The limits of the payment's currency.
  ///   - number: A random number, 1...99; nil when the random selection is off.
  func check(_ payment: CheckedPayment, _ limits: ReaderLimits.Limits, number: Int?) -> TerminalVerificationResults {
    var results = TerminalVerificationResults()
    if payment.isExcepted { results.insert(.onExceptionList) }
    if FloorLimit.isExceeded(payment.amount, afterLast: payment.lastAmount, floor: limits.floor) {
      results.insert(.exceedsFloorLimit)
    }
    if let randomSelection, let number, let floor = limits.floor,
      let threshold = limits.further[Self.thresholdKey.name],
      randomSelection.selects(payment.amount, threshold: threshold, floor: floor, number: number)
    {
      results.insert(.selectedRandomly)
    }
    return results
  }

  /// What the terminal knows of a payment and its card.
  struct CheckedPayment {
    /// Tag 9F02 in minor units.
    let amount: UInt64
    /// The last approved amount of the card.
    let lastAmount: UInt64?
    /// Whether the card is on the exception list.
    let isExcepted: Bool
  }
}

// The key `riskManagement`, and the limit `randomThreshold`.
extension RiskManagement {
  static let thresholdKey = ProfileKey(
    "randomThreshold", .amount, help: "The threshold of the random selection, below `floor`.",
    source: "EMV 4.4 Book 3, 10.6.2")
  private static let targetKey = ProfileKey(
    "target", .integer, isRequired: true, range: RandomSelection.percentages,
    help: "How many percent of the payments below `randomThreshold` go online.")
  private static let maximumKey = ProfileKey(
    "maximumTarget", .integer, isRequired: true, range: RandomSelection.percentages,
    help: "How many percent of the payments just below `floor` go online; `target` or more.")
  private static let selectionKey = ProfileKey(
    "randomSelection", .object([targetKey, maximumKey]),
    help: "The random selection; none when left out. It needs `floor` and `randomThreshold` for each currency.",
    source: "EMV 4.4 Book 3, 10.6.2")
  private static let velocityKey = ProfileKey(
    "velocity", .flag, default: false,
    help: "Whether the counters of a card with tags 9F14 and 9F23 are read with GET DATA.",
    source: "EMV 4.4 Book 3, 10.6.3")
  static let key = ProfileKey(
    "riskManagement", .object([selectionKey, velocityKey]),
    help: """
      Terminal risk management: `floor` counts with the last approved amount of the card, where the terminal keeps a log; \
      random selection and velocity. None when left out.
      """, source: "EMV 4.4 Book 3, 10.6")

  /// Reads the key of an application. Problems are noted in the reader.
  ///
  /// - Returns: Nil when the application has no such key.
  static func read(_ application: inout ObjectReader, _ limits: ReaderLimits) -> RiskManagement? {
    let settings = application.optionalObject(key.name) { settings in
      RiskManagement(
        randomSelection: settings.optionalObject(selectionKey.name) { selection(&$0) } ?? nil,
        checksVelocity: settings.flag(velocityKey) ?? false)
    }
    if settings?.randomSelection != nil { checkThresholds(&application, limits) }
    return settings
  }

  private static func selection(_ reader: inout ObjectReader) -> RandomSelection? {
    guard let target = reader.integer(targetKey), let maximum = reader.integer(maximumKey) else { return nil }
    let selection = RandomSelection(target: target, maximumTarget: maximum)
    if selection == nil, RandomSelection.percentages.contains(target), RandomSelection.percentages.contains(maximum) {
      reader.note(maximumKey.name, "\(maximum) is below `target`, \(target)")
    }
    return selection
  }

  private static func checkThresholds(_ application: inout ObjectReader, _ limits: ReaderLimits) {
    for (currency, values) in limits.byCurrency.sorted(by: { $0.key < $1.key }) {
      if let threshold = values.further[thresholdKey.name], let floor = values.floor, threshold < floor { continue }
      application.note(
        key.name, "randomSelection needs a `floor` and a lower `randomThreshold` in the limits of currency \(currency)")
    }
  }
}
