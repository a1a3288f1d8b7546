internal import DisplayText
internal import Octets

/// The report of `tap accept`: one payment.
public struct PaymentPage: Sendable {
  /// The payment.
  public let tap: ReportedTap
  /// The outcome in sentences.
  public let lines: [String]

  /// Creates the report.
  ///
  /// - Parameter lines: The outcome in sentences, with cardholder data as they may be shown.
  public init(_ tap: ReportedTap, lines: [String]) { (self.tap, self.lines) = (tap, lines) }

  /// The page.
  public var html: String {
    let items = lines.map { "<li>\($0)</li>\n" as HTML }
    return ReportPage(
      title: "Payment", lead: [],
      sections: ["<ul class=\"outcome\">\n\(items)</ul>\n<h2>The tap in time</h2>\n", tap.html]
    ).text
  }
}
