internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerShell
internal import ServerStore

extension OperatorPage {
  /// The audit trail: by account, event, result and time.
  static let audit = OperatorPage(path: PagePath.audit, title: "Audit trail") { page, request in
    let filter = try request.auditFilter()
    let place = try request.start().flatMap(AuditPlace.init)
    let entries = try PagePart { try page.transaction.auditEntries(filter, before: place, limit: $0) }
    let rows = entries.elements.map(\.record).map { entry -> [HTML] in
      [
        PageValue.moment(entry.at), "<span class=\"word\">\(PageValue.words(entry.event))</span>",
        "<span class=\"word\">\(entry.result)</span>", entry.account.map(account) ?? .empty,
        "\(entry.device ?? "")<small>\(entry.address ?? "")</small>",
      ]
    }
    let table = PageTable(
      columns: ["Time", "Event", "Result", "Account", "Device and address"], rows: rows,
      empty: "No entry matches. Show all entries, or widen the times: they are in UTC.")
    return """
      \(request.auditForm(page.facts.auditEvents))
      <p class="paper">Shown: \(request.auditFilterWords).</p>
      \(table.html)
      \(request.foot(entries, "record") { $0.place.text })
      """
  }

  private static func account(_ name: String) -> HTML {
    "<a href=\"\(PagePath.audit.query([("account", name)]))\">\(name)</a>"
  }
}

extension PageRequest {
  /// The filter of the audit trail in the query. A time is in UTC; the minute of the last one is included.
  fileprivate func auditFilter() throws(AccessError) -> AuditFilter {
    let (from, to) = (try moment("from") ?? 0, try moment("to").map { $0 + 60_000 } ?? .max)
    return AuditFilter(
      account: try entry("account"), event: try entry("event"), result: try entry("code"),
      moments: min(from, to)..<to)
  }

  /// A time as browsers send it: `2026-01-31T09:05`, perhaps with seconds.
  private func moment(_ name: String) throws(AccessError) -> Int64? {
    guard let text = try entry(name) else { return nil }
    guard let time = CalendarTime(text.utf8.count == 16 ? text + ":00" : text) else {
      throw .refused(.malformed, "the time \(text) is not of the form 2026-01-31T09:05")
    }
    return time.utc.epochMilliseconds
  }

  /// The filter for paper, which has no form: `account alice, to 2027-01-15 08:03 UTC`.
  fileprivate var auditFilterWords: String {
    let query = call.target.query
    let parts: [(words: String, name: String)] = [
      ("account", "account"), ("event", "event"), ("result or code begins with", "code"), ("from", "from"),
      ("to", "to"),
    ]
    let words = parts.compactMap { words, name -> String? in
      guard let value = query[name], !value.isEmpty else { return nil }
      switch name {
      case "event": return "\(words) \(PageValue.words(value))"
      case "from", "to": return "\(words) \(value.replacing("T", with: " ")) UTC"
      default: return "\(words) \(value)"
      }
    }
    return words.isEmpty ? "all entries" : words.joined(separator: ", ")
  }

  fileprivate func auditForm(_ events: [String]) -> HTML {
    let chosen = call.target.query["event"]
    let events = events.map { event -> HTML in
      "<option value=\"\(event)\"\(event == chosen ? " selected" : "" as HTML)>\(PageValue.words(event))</option>"
    }
    return """
      <form class="filter" method="get" action="\(path)">
      \(input("account", "Account", "text"))
      <div><label for="event">Event</label><select id="event" name="event"><option value="">any</option>\(events)</select></div>
      \(input("code", "Result or code begins with", "text"))
      \(input("from", "From (UTC)", "datetime-local"))
      \(input("to", "To (UTC)", "datetime-local"))
      <div><button>Show</button><a href="\(path)">Show all</a></div></form>
      """
  }

  private func input(_ name: String, _ label: String, _ type: HTML) -> HTML {
    """
    <div><label for="\(name)">\(label)</label><input id="\(name)" name="\(name)" type="\(type)" maxlength="256"
    value="\(call.target.query[name] ?? "")"></div>
    """
  }
}

extension AuditPlace {
  /// The place in a link.
  fileprivate var text: String { "\(at)-\(number)" }

  /// Reads a place from a link.
  fileprivate init?(_ text: String) {
    let numbers = text.split(separator: "-").compactMap { Int64($0) }
    guard numbers.count == 2 else { return nil }
    self.init(at: numbers[0], number: numbers[1])
  }
}
