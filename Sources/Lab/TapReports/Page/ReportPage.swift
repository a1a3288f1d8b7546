internal import DisplayText
internal import HTMLPages
internal import Octets

/// A whole report: one file that loads nothing. Its headline is its result.
struct ReportPage {
  /// The result of a report, which gives its headline a colour.
  enum Result: String {
    case passed, failed, warned
  }

  /// The kind of report, in the title of the browser's tab.
  let name: String
  let result: Result
  /// The result in words.
  let headline: String
  /// Sentences under the headline.
  var lead: [String] = []
  let run: ReportedRun?
  let sections: [HTML]

  /// The document.
  var text: String {
    ReportStyle.design.savedDocument(
      "\(headline) - \(name)",
      """
      \(Bar.patterns)<main><header class="result \(result.rawValue)"><h1>\(headline)</h1>
      \(lead.map { "<p>\($0)</p>\n" as HTML })\(run?.html ?? .empty)</header>
      \(sections)
      </main>
      """
    ).text
  }
}

/// Names with their values.
struct PropertyList {
  let properties: [(name: String, value: String)]

  /// Empty for no property.
  var html: HTML {
    guard !properties.isEmpty else { return .empty }
    return "<dl>\(properties.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>\n" as HTML })</dl>\n"
  }
}
