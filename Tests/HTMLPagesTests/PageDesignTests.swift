import Ciphers
import DisplayText
import Foundation
import HTMLPages
import Octets
import Testing

@Suite("The design of pages")
struct PageDesignTests {
  /// The text between two marks.
  private func part(of page: String, from start: String, to end: String) -> String? {
    guard let head = page.range(of: start), let tail = page[head.upperBound...].range(of: end) else { return nil }
    return String(page[head.upperBound..<tail.lowerBound])
  }

  private func hash(_ text: String) -> String {
    "'sha256-\(Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString())'"
  }

  @Test func `a policy allows the style and the script of the page by hash, and nothing else`() throws {
    let design = PageDesign("b{color:red}", script: "document.title = '1'", policy: ["img-src data:"])
    let page = design.document("Title", "<main>Text</main>").text
    let style = try #require(part(of: page, from: "<style>", to: "</style>"))
    let script = try #require(part(of: page, from: "<script>", to: "</script>"))
    #expect(style.contains("b{color:red}"))
    #expect(
      design.securityPolicy
        == "default-src 'none'; style-src \(hash(style)); script-src \(hash(script)); base-uri 'none'; img-src data:")
  }

  @Test func `a page without a script allows none`() {
    let design = PageDesign()
    #expect(!design.securityPolicy.contains("script-src"))
    #expect(!design.document("Title", "<main></main>").text.contains("<script"))
  }

  @Test func `a saved page has its policy, forbids forms and escapes its title`() {
    let design = PageDesign()
    let page = design.savedDocument("</title><script>", "<main></main>").text
    let policy = design.securityPolicy.replacing("'", with: "&#39;")
    #expect(page.contains("content=\"\(policy); form-action 'none'\""))
    #expect(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"))
  }

  @Test func `the dark colours are those of screens, so that paper has the light ones`() {
    let page = PageDesign().document("Title", "<main></main>").text
    #expect(page.contains("@media screen and (prefers-color-scheme:dark)"))
    #expect(page.components(separatedBy: "--good:").count == 3, "one light palette and one dark palette")
  }
}
