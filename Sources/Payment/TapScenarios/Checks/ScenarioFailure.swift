public import ISO7816

/// One expectation that a tap did not meet.
public struct ScenarioFailure: Hashable, Sendable, CustomStringConvertible {
  /// The number of the exchange in the payment, from 1; nil for what belongs to none.
  public let exchange: Int?
  /// The command of that exchange, such as `GET PROCESSING OPTIONS`; nil for none.
  public let command: String?
  /// The data element's tag; nil for what is no data element.
  public let tag: Tag?
  /// What was looked at: `9F6C Card Transaction Qualifiers (CTQ), byte 2 bit 8 CDCVM performed`, `status word`.
  public let element: String
  /// What the scenario expects, in words; cardholder data are masked.
  public let expected: String
  /// What there was, in words; cardholder data are masked.
  public let got: String

  /// A sentence with all of it.
  public var description: String {
    let place = exchange.map { "exchange \($0)" + (command.map { ", \($0)" } ?? "") + ": " } ?? ""
    return "\(place)\(element): expected \(expected), got \(got)"
  }
}
