import Foundation
import TestSupport
import Testing

/// The examples of the articles, run. Every block of Swift in an article stands in one of these tests, line by line.
@Suite("Examples of the documentation", .blocks, .timeLimit(.minutes(20)))
struct ExampleTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  /// The folders of the tests that hold the blocks.
  static let folders = [
    "Tests/TapTests/Examples", "Tests/EMVTerminalTests", "Tests/AccessTests",
  ]

  /// Every article in the sources but `AsALibrary`, whose blocks are files of a package: `tools/client` builds it, and
  /// `ClientPackageTests` runs its programs.
  static let articles =
    (FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)?
    .compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") && !$0.hasSuffix("/AsALibrary.md") }
    .map { "Sources/\($0)" }.sorted()

  /// The lines between fences that say `swift`, without their indentation.
  static func blocks(of article: String) -> [[Substring]] {
    var blocks: [[Substring]] = []
    var isInside = false
    for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
      // A block in a list item is indented.
      if line.trimmed.hasPrefix("```") {
        isInside = line.trimmed == "```swift"
        if isInside { blocks.append([]) }
      } else if isInside {
        blocks[blocks.count - 1].append(line.trimmed)
      }
    }
    return blocks
  }

  @Test(arguments: articles)
  func `every block of Swift in an article is code of an example test`(_ article: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: article), encoding: .utf8)
    let files = try Self.folders.flatMap {
      try FileManager.default.contentsOfDirectory(at: Self.root.appending(path: $0), includingPropertiesForKeys: nil)
    }
    let sources = try files.filter { $0.pathExtension == "swift" }.map {
      try String(contentsOf: $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
        \.trimmed)
    }
    let blocks = Self.blocks(of: text)
    // The article of a target has its name. Articles about programs and their files show command lines.
    let parts = article.split(separator: "/").suffix(2).map { $0.split(separator: ".").first }
    let isOfTarget = parts.count == 2 && parts[0] == parts[1] && !article.hasPrefix("Sources/Contactless.docc/")
    #expect(!isOfTarget || !blocks.isEmpty, "\(article) has no example")
    for block in blocks {
      #expect(
        sources.contains { $0.contains(run: block) },
        "\(article): no example test has\n\(block.joined(separator: "\n"))")
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring { drop { $0 == " " } }
}

extension [Substring] {
  fileprivate func contains(run: [Substring]) -> Bool {
    guard run.count <= count else { return false }
    return (0...(count - run.count)).contains { self[$0..<($0 + run.count)].elementsEqual(run) }
  }
}
