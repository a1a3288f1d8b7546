internal import DisplayText
internal import EMVTerminal
internal import Octets
public import PaymentAcceptance

/// The report of `tap accept`: one payment.
public struct PaymentPage: Sendable {
  private let result: PaymentResult
  private let tap: ReportedTap
  private let lines: [String]
  private let run: ReportedRun

  /// Creates the report.
  ///
  /// - Parameters:
  ///   - result: The payment, of which the page shows the kind of its outcome.
  ///   - tap: Its exchanges.
  ///   - lines: The outcome in sentences, with cardholder data as they may be shown.
  ///   - run: When, where and by which command line.
  public init(_ result: PaymentResult, _ tap: ReportedTap, lines: [String], run: ReportedRun) {
    (self.result, self.tap, self.lines, self.run) = (result, tap, lines, run)
  }

  /// The page.
  public var html: String {
    let items = lines.map { "<li>\($0)</li>\n" as HTML }
    return ReportPage(
      name: "tap accept", result: mark, headline: headline, run: run,
      sections: ["<ul class=\"outcome\">\n\(items)</ul>\n<h2>The tap in time</h2>\n", tap.html]
    ).text
  }

  /// A page for a payment that could not begin.
  public static func html(of error: any Error, run: ReportedRun) -> String {
    ReportPage(
      name: "tap accept", result: .failed, headline: "No payment was made", lead: ["\(error)"], run: run, sections: []
    ).text
  }

  private var outcome: PaymentOutcome? { try? result.get().outcome }

  private var mark: ReportPage.Result {
    switch outcome?.kind {
    case .approved: .passed
    case .declined, .endApplication, nil: .failed
    case .onlineRequest, .seePhone, .tryAgain, .otherInterface: .warned
    }
  }

  private var headline: String {
    guard let outcome else { return "The payment has no outcome" }
    let request = result.record.request
    let kind = outcome.kind.rawValue
    return "\(kind.prefix(1).uppercased())\(kind.dropFirst()): \(request.amount) \(request.currency.alphabeticCode)"
  }
}
