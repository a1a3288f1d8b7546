internal import Ciphers
internal import DisplayText
internal import Foundation
internal import Octets

/// A whole report: one file that loads nothing and runs nothing.
///
/// Its Content Security Policy (level 3) allows the style of the page by its hash, and nothing else.
struct ReportPage {
  let title: String
  /// Sentences under the title.
  let lead: [String]
  let sections: [HTML]

  /// The document.
  var text: String { html.text }

  private var html: HTML {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(Self.securityPolicy)">
    <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
    <title>\(title)</title><style>\(ReportStyle.html)</style></head>
    <body><main><h1>\(title)</h1>
    \(lead.map { "<p>\($0)</p>\n" as HTML })\(sections)
    </main></body></html>

    """
  }

  private static let securityPolicy: String = {
    let digest = Data(SHA256.digest(of: Array(ReportStyle.html.text.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'"
  }()
}

/// A table whose first column names its rows. On a narrow screen it scrolls by itself, and the page does not.
struct ReportTable {
  let heads: [String]
  let rows: [[String]]

  var html: HTML {
    let head = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
    let lines = rows.map { row -> HTML in
      let cells = row.enumerated().map { index, cell -> HTML in
        index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td>\(cell)</td>"
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <div class="wide" tabindex="0"><table><thead><tr>\(head)</tr></thead><tbody>
      \(lines)</tbody></table></div>

      """
  }
}
