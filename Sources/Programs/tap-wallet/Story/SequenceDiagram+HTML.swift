import DisplayText
import HTMLPages
import Octets

extension SequenceDiagram {
  /// The diagram as one page that loads nothing.
  var html: HTML {
    let links = refusals.enumerated().map { index, refusal -> HTML in
      "<li><a href=\"#refusal\(index + 1)\">\(refusal.text)</a></li>\n"
    }
    let list: HTML = links.isEmpty ? .empty : "<ul>\n\(links)</ul>"
    return Self.design.savedDocument(
      "\(extent), \(refusalCount) - tap-wallet story",
      """
      <main><h1>\(extent), <span class="\(refusals.isEmpty ? "good" : "bad" as HTML)">\(refusalCount)</span></h1>
      <p>\(lead)</p>
      \(list)
      <div class="heads">\(parts.map(head))</div>
      \(steps.enumerated().map(section))
      </main>
      """)
  }

  /// The number of steps; for a journal without steps, the number of messages.
  private var extent: String {
    let count = steps.count { $0.result != nil }
    return count > 0 ? count.counted("step") : messageCount
  }

  private var messageCount: String { steps.flatMap(\.messages).reduce(0) { $0 + $1.count }.counted("message") }

  private var refusalCount: String {
    refusals.isEmpty ? "no refusal" : refusals.reduce(0) { $0 + $1.count }.counted("refusal")
  }

  /// Date and duration, where messages have times, and the number of messages and parts.
  private var lead: String {
    let sum = "\(messageCount) between \(parts.count.counted("part"))."
    guard let first = moments.min(), let last = moments.max() else { return sum }
    let date = "\(CalendarTime(utc: first))".replacing("T", with: " ")
    return "\(date) UTC, \(Self.seconds(from: first, to: last)) s. \(sum) Times are seconds since the first message."
  }

  private static let design = PageDesign(
    """
    section{background:var(--box);border:1px solid var(--line);border-radius:.35rem;margin:.6rem 0;padding:.35rem .75rem}
    section.refused{border-color:var(--bad);box-shadow:inset 4px 0 var(--bad)}
    section h2{margin:.1rem 0 .25rem;font-size:1rem}section h2 small{font-weight:400;color:var(--dim);margin-left:.5rem}
    section>p{color:var(--dim)}
    ol{list-style:none;margin:0;padding:0}
    ol li{display:grid;grid-template-columns:4.5rem minmax(0,1fr);gap:.5rem;padding:.15rem 0;border-top:1px solid var(--line);
    break-inside:avoid}
    li>span{color:var(--dim);font-size:.8rem;text-align:right;font-variant-numeric:tabular-nums}
    ol p{margin:0;font-size:.875rem}
    .heads{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);position:sticky;top:0;max-height:40vh;
    overflow-y:auto;background:var(--back);padding:.25rem calc(.75rem + 1px) .25rem calc(5.75rem + 1px)}
    .heads div{text-align:center;overflow-wrap:anywhere;font-size:12px;font-weight:600;line-height:1.2}
    svg{display:block;width:100%;height:16px;overflow:visible}.heads svg{width:20px;height:18px;margin:0 auto}
    .person{fill:var(--good)}.machine{fill:var(--dim)}
    .life{stroke:var(--line)}.arrow{stroke:var(--accent);stroke-width:1.5}.loop{fill:none}.head{fill:var(--accent)}
    li.refused .arrow{stroke:var(--bad);stroke-dasharray:5 4}li.refused .head{fill:var(--bad)}
    @media screen and (max-width:44rem){main{padding:.6rem}ol li{grid-template-columns:3.2rem minmax(0,1fr);gap:.35rem}
    section{padding:.35rem .4rem}.heads{padding-left:calc(3.95rem + 1px);padding-right:calc(.4rem + 1px)}
    .heads div{font-size:10.5px}}
    @media print{.heads{position:static;max-height:none}}
    """)

  /// The middle of a column, in percent of the width.
  private func center(_ column: Int) -> Int { (2 * column + 1) * 50 / max(parts.count, 1) }

  /// The name of a part, below a person's head and shoulders or a program's box.
  private func head(_ part: String) -> HTML {
    let isPerson = Self.people.contains(part)
    let (kind, label): (HTML, HTML) = isPerson ? ("person", "person") : ("machine", "program")
    let shape: HTML =
      isPerson
      ? "<circle cx=\"0\" cy=\"5\" r=\"4\"/><path d=\"M-7 18a7 8 0 0 1 14 0Z\"/>"
      : "<rect x=\"-9\" y=\"2\" width=\"18\" height=\"14\" rx=\"2\"/>"
    return """
      <div><svg class="\(kind)" viewBox="-10 0 20 18" role="img" aria-label="\(label)">\(shape)</svg>\(part)</div>
      """
  }

  private func section(_ index: Int, _ step: StoryStep) -> HTML {
    let title: HTML =
      step.result.map { result in
        let time: HTML = result.milliseconds.map { "<small>\($0) ms</small>" } ?? .empty
        return "<h2>\(result.name)\(time)\(step.isRefused ? Self.refused : .empty)</h2>\n<p>\(result.text)</p>\n"
      } ?? .empty
    let kind: HTML = step.isRefused ? " class=\"refused\"" : .empty
    let rows = step.messages.enumerated().map { row($1, anchor(step: index, row: $0)) }
    return "<section\(kind)\(anchor(step: index, row: nil))>\(title)<ol>\n\(rows)</ol></section>\n"
  }

  private static let refused: HTML = " <span class=\"bad\">refused</span>"

  /// The attribute with the target of the link to a refusal; empty for other elements.
  private func anchor(step: Int, row: Int?) -> HTML {
    refusals.firstIndex { $0.step == step && $0.row == row }.map { " id=\"refusal\($0 + 1)\"" } ?? .empty
  }

  private func row(_ repeated: StoryStep.Repeated, _ anchor: HTML) -> HTML {
    let message = repeated.message
    let kind: HTML = message.isRefused ? " class=\"refused\"" : .empty
    return """
      <li\(kind)\(anchor)><span>\(time(of: repeated))</span><div>\
      <p>\(repeated.text)\(message.isRefused ? Self.refused : .empty)</p>
      <svg role="img" aria-label="from \(message.sender) to \(message.receiver)">\(arrow(message))</svg></div></li>

      """
  }

  /// The seconds since the first message, of the first and the last repetition.
  private func time(of repeated: StoryStep.Repeated) -> String {
    guard let start = moments.first, let first = repeated.message.sentAt else { return "" }
    let time = "+\(Self.seconds(from: start, to: first))"
    guard repeated.count > 1, let last = repeated.lastSentAt else { return time }
    return "\(time) to +\(Self.seconds(from: start, to: last))"
  }

  /// A duration in seconds with three decimals; 0.000 when the clock was set back.
  private static func seconds(from first: WallTime, to last: WallTime) -> String {
    let milliseconds = max(
      (last.seconds - first.seconds) * 1_000 + Int64(last.milliseconds - first.milliseconds), 0)
    return "\(milliseconds / 1_000).\(String(milliseconds % 1_000 + 1_000).dropFirst())"
  }

  private func arrow(_ message: Message) -> HTML {
    let lives = parts.indices.map { column -> HTML in
      let x = center(column)
      return "<line class=\"life\" x1=\"\(x)%\" x2=\"\(x)%\" y1=\"0\" y2=\"16\"/>"
    }
    let (start, end) = (center(column(of: message.sender)), center(column(of: message.receiver)))
    guard message.sender != message.receiver else {
      return """
        \(lives)<svg x="\(start)%"><path class="arrow loop" d="M0 3H11V12H4"/><path class="head" d="M0 12L7 8V16Z"/></svg>
        """
    }
    let head: HTML = start < end ? "M0 0L-8 -4V4Z" : "M0 0L8 -4V4Z"
    return """
      \(lives)<line class="arrow" x1="\(start)%" x2="\(end)%" y1="8" y2="8"/>\
      <svg x="\(end)%" y="8"><path class="head" d="\(head)"/></svg>
      """
  }
}
