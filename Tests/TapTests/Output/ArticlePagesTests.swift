import Foundation
import TestSupport
import Testing

/// The articles as `tools/articles` writes them for an installation.
@Suite("Articles as pages", .blocks, .timeLimit(.minutes(5)))
struct ArticlePagesTests {
  private let scratch: Scratch
  private let pages: [String: String]

  init() throws {
    scratch = try Scratch()
    let folder = scratch.path("html")
    let run = try ProgramRun(ExampleTests.root.appending(path: "tools/articles").path, ["--output", folder])
    #expect(try run.finish() == .exited(0), "\(run.errors)")
    var pages: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".html") {
      pages[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
    self.pages = pages
  }

  private func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: scratch.path("html/\(file)")) }

  @Test func `the README and every article of the whole have a page with a title`() throws {
    let articles = try FileManager.default.contentsOfDirectory(
      atPath: ExampleTests.root.appending(path: "Sources/Contactless.docc").path)
    for name in articles where name.hasSuffix(".md") {
      #expect(pages[name.replacingOccurrences(of: ".md", with: ".html")] != nil, "\(name)")
    }
    #expect(pages["index.html"]?.contains("<h1 id=\"contactless\">Contactless</h1>") == true)
    for (name, page) in pages {
      #expect(page.contains("<title>") && !page.contains("<title></title>"), "\(name)")
      #expect(!page.contains("@Metadata"), "\(name)")
    }
  }

  @Test func `every link of a page leads to a page, a heading or a picture that is there`() throws {
    var count = 0
    for (name, page) in pages {
      for match in page.matches(of: /(?:href|src|srcset)="([^"]*)"/) where !match.1.contains(":") {
        let parts = match.1.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? name : parts[0]
        #expect(exists(target), "\(name): \(match.1)")
        if parts.count > 1 { #expect(pages[target]?.contains("id=\"\(parts[1])\"") == true, "\(name): \(match.1)") }
        count += 1
      }
    }
    #expect(count > 60)
  }

  @Test func `a table and a block of shell lines are a table and a block`() {
    #expect(pages["TheProgramTap.html"]?.contains("<td>2</td>") == true)
    #expect(pages["FirstPayments.html"]?.contains("<pre><code>tap card new --scheme visa") == true)
  }
}
