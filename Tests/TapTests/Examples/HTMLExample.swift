import DisplayText
import Octets
import Testing

extension ExampleTests {
  @Test func `the article of Octets: interpolated text is escaped once`() {
    let name = "<script>"
    let row: HTML = "<td title=\"\(name)\">\(name)</td>"
    let table: HTML = "<table><tr>\([row, row])</tr></table>"

    #expect(row.text == #"<td title="&lt;script&gt;">&lt;script&gt;</td>"#)
    #expect(table.text == "<table><tr>\(row.text)\(row.text)</tr></table>")
  }
}
