public import ISO7816

/// One expectation that a tap did not meet.
public struct ScenarioFailure: Hashable, Sendable, CustomStringConvertible {
  /// The number of the exchange in the payment, from 1; nil for an expectation without one.
  public let exchange: Int?
  /// The command of that exchange, such as `GET PROCESSING OPTIONS`; nil for none.
  public let command: String?
  /// The data element's tag; nil for anything else.
  public let tag: Tag?
  /// The subject: `9F6C Card Transaction Qualifiers (CTQ), byte 2 bit 8 CDCVM performed`, `status word`.
  public let element: String
  /// The expected value as text; cardholder data are masked.
  public let expected: String
  /// The value found as text; cardholder data are masked.
  public let got: String

  /// A sentence with all of them.
  public var description: String {
    let place = exchange.map { "exchange \($0)" + (command.map { ", \($0)" } ?? "") + ": " } ?? ""
    return "\(place)\(element): expected \(expected), got \(got)"
  }
}
