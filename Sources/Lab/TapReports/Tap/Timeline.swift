internal import DisplayText
internal import Octets

/// One tap in time: from its first command until its last response.
struct Timeline {
  /// The longest time of the card in a tap, and that of the reader, in nanoseconds (EMV Contactless Book A 2.10,
  /// 10.2.1.1).
  static let (cardBudget, readerBudget): (Int64, Int64) = (400_000_000, 100_000_000)

  private let steps: [ReportedTap.Step]
  private let start: Int64
  let whole: Int64
  private let exchanged: Int64

  /// Nil without exchanges.
  init?(_ steps: [ReportedTap.Step]) {
    guard let first = steps.first, let last = steps.last else { return nil }
    (self.steps, start) = (steps, first.begun)
    exchanged = steps.reduce(0) { $0 + $1.nanoseconds }
    whole = max(last.begun + last.nanoseconds - first.begun, exchanged)
  }

  /// Whether the card's part is known.
  private var isTimed: Bool { steps.allSatisfy { $0.card != nil } }
  private var card: Int64 { steps.reduce(0) { $0 + ($1.card ?? 0) } }
  private var terminal: Int64 { whole - exchanged }
  private var kinds: [Bar.Kind] { isTimed ? [.card, .link, .terminal] : [.both, .terminal] }

  /// The parts of the tap in words, such as `card 12 us (40.0 %)`.
  private var parts: String {
    let parts =
      isTimed
      ? [("card", card), ("link", exchanged - card), ("terminal", terminal)]
      : [("card and link", exchanged), ("terminal", terminal)]
    return parts.map { "\($0.0) \(Self.text($0.1)) (\(Self.percent($0.1, of: whole)))" }.joined(separator: ", ")
  }

  var html: HTML {
    """
    <figure class="timeline">\(bar(steps, label: "The tap in time: \(parts)").svg)
    <p class="axis"><span>0</span><span>\(Self.text(whole))</span></p>
    \(Bar.key(kinds))<figcaption>\(parts). \(scale)</figcaption></figure>
    \(budget)\(steps.map(row))
    """
  }

  private var scale: String {
    let limit = Self.cardBudget + Self.readerBudget
    let end =
      whole >= limit
      ? "The line is the end of the budget, 500 ms."
      : "The budget of 500 ms ends at \(Self.ratio(limit, to: whole)) times this width."
    return isTimed ? "The card's time is drawn in the middle of its exchange. \(end)" : end
  }

  /// The bar of some steps on the axis of the tap, with the terminal's time after each step but the last.
  private func bar(_ shown: [ReportedTap.Step], label: String) -> Bar {
    var segments: [Bar.Segment] = []
    for (index, step) in shown.enumerated() {
      let begun = step.begun - start
      if let card = step.card {
        segments.append(.init(kind: .link, start: begun, length: step.nanoseconds))
        segments.append(.init(kind: .card, start: begun + (step.nanoseconds - card) / 2, length: card))
      } else {
        segments.append(.init(kind: .both, start: begun, length: step.nanoseconds))
      }
      guard index + 1 < shown.count else { continue }
      let end = begun + step.nanoseconds
      segments.append(.init(kind: .terminal, start: end, length: shown[index + 1].begun - start - end))
    }
    let limit = Self.cardBudget + Self.readerBudget
    return Bar(end: whole, segments: segments, marks: whole >= limit ? [limit] : [], label: label)
  }

  /// Whether a bar of the budget shows more than its frame: a part used a hundredth or more.
  private var isBudgetVisible: Bool {
    exchanged >= Self.cardBudget / 100 || terminal >= Self.readerBudget / 100
  }

  /// Both parts of the budget on one axis: the card's from 0, the reader's from 400 ms. Without a bar when a tap used next to
  /// nothing.
  private var budget: HTML {
    let (limit, all) = (Self.cardBudget, Self.cardBudget + Self.readerBudget)
    let bar = Bar(
      end: all,
      segments: [
        .init(kind: .both, start: 0, length: min(exchanged, limit)),
        .init(kind: .terminal, start: limit, length: min(terminal, Self.readerBudget)),
      ], marks: [limit], label: "The budget of EMV Contactless Book A, and what the tap used of it")
    let used: HTML = """
      Card and link used \(Self.percent(exchanged, of: limit)) of 400 ms, the terminal \
      \(Self.percent(terminal, of: Self.readerBudget)) of 100 ms
      """
    let isWithin = exchanged <= limit && terminal <= Self.readerBudget
    let verdict: HTML =
      isWithin ? "<span class=\"good\">within the budget</span>" : "<span class=\"bad\">beyond the budget</span>"
    let sentence: HTML = "Budget of EMV Contactless Book A, 10.2.1.1. \(used): \(verdict)."
    guard isBudgetVisible else { return "<p class=\"budget dim\">\(sentence)</p>\n" }
    return """
      <figure class="budget">\(bar.svg)
      <p class="axis"><span>card 400 ms</span><span>reader 100 ms</span></p>
      <figcaption>\(sentence)</figcaption></figure>

      """
  }

  private func row(_ step: ReportedTap.Step) -> HTML {
    let card = step.card.map { ", card \(Self.text($0))" } ?? ""
    let time = "\(Self.text(step.nanoseconds))\(card)"
    return """
      <details class="exchange"><summary>\(step.number). \(step.name) <b>\(step.status)</b> <span class="dim">\(time)</span>\
      \(bar([step], label: "\(step.name) in the tap").svg)</summary><pre>\(step.decoded.joined(separator: "\n"))</pre></details>

      """
  }

  private static func text(_ time: Int64) -> String { Duration.nanoseconds(time).text }

  private static func percent(_ part: Int64, of all: Int64) -> String {
    // Parts are times of one tap: far below the limit of the type.
    let hundredths = part * 10_000 / max(all, 1)
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
  }

  private static func ratio(_ all: Int64, to part: Int64) -> String {
    let tenths = all * 10 / max(part, 1)
    return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
  }
}

extension ReportedTap {
  /// The timelines of all taps of the payment.
  var html: HTML {
    let timelines = taps.compactMap(Timeline.init)
    guard !timelines.isEmpty else { return "<p class=\"dim\">No command was sent.</p>\n" }
    guard timelines.count > 1 else { return timelines[0].html }
    let parts = timelines.enumerated().map {
      "<h3>Tap \($0.offset + 1) of \(timelines.count)</h3>\n\($0.element.html)" as HTML
    }
    return "\(parts)"
  }
}
