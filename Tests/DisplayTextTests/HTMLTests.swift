import DisplayText
import Testing

@Suite("HTML")
struct HTMLTests {
  @Test func `a text with every special character ends neither a tag nor a quoted value`() {
    let text = "<a href=\"x\" title='y'>&amp;"
    let html: HTML = "<p title=\"\(text)\">\(text)</p>"
    let escaped = "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;"
    #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test func `numbers, HTML and lists of HTML are interpolated as they are`() {
    let items = ["a", "<"].map { "<li>\($0)</li>" as HTML }
    let html: HTML = "<ol start=\"\(7)\">\(items)\(HTML.empty)</ol>"
    #expect(html.text == "<ol start=\"7\"><li>a</li><li>&lt;</li></ol>")
  }
}
