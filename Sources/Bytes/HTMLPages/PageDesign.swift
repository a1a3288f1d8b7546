internal import Ciphers
package import DisplayText
internal import Foundation
internal import Octets

/// The look of a group of pages: a style and at most one script. Both are part of each page, since a page loads nothing.
package struct PageDesign: Sendable {
  private let style: HTML
  private let script: HTML

  /// The Content Security Policy (level 3) of the pages: their own style and script by hash, and nothing else.
  package let securityPolicy: String

  /// Creates a design.
  ///
  /// - Parameters:
  ///   - rules: The rules of CSS for parts that only these pages have, after those of all pages.
  ///   - script: The script of the pages; empty for none.
  ///   - further: Further directives of the policy.
  package init(_ rules: HTML = .empty, script: HTML = .empty, policy further: [String] = []) {
    style = "\(PageStyle.screen)\n\(rules)\n\(PageStyle.print)"
    self.script = script
    let scripts = script.text.isEmpty ? [] : ["script-src \(Self.source(script))"]
    let directives = ["default-src 'none'", "style-src \(Self.source(style))"] + scripts + ["base-uri 'none'"]
    securityPolicy = (directives + further).joined(separator: "; ")
  }

  /// A document that a browser opens as a file: the policy is part of it.
  package func savedDocument(_ title: String, _ body: HTML) -> HTML {
    document(
      title, head: "<meta http-equiv=\"Content-Security-Policy\" content=\"\(securityPolicy); form-action 'none'\">\n",
      body)
  }

  /// A document whose policy is in a header of its response.
  ///
  /// - Parameters:
  ///   - head: Further elements of the head, before the style.
  ///   - body: The content of the body.
  package func document(_ title: String, head: HTML = .empty, _ body: HTML) -> HTML {
    let end: HTML = script.text.isEmpty ? .empty : "<script>\(script)</script>\n"
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
      \(head)<meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <style>\(style)</style></head>
      <body>
      \(body)
      \(end)</body></html>

      """
  }

  private static func source(_ text: HTML) -> String {
    "'sha256-\(Data(SHA256.digest(of: Array(text.text.utf8))).base64EncodedString())'"
  }
}
