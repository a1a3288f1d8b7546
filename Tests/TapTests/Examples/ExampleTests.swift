import Foundation
import TestSupport
import Testing

/// The examples of the articles, run. Every block of Swift in an article stands in one of these tests, line by line.
@Suite("Examples of the documentation", .blocks)
struct ExampleTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  /// Every article in the sources.
  static let articles =
    (FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)?
    .compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }.map { "Sources/\($0)" }.sorted()

  /// The lines between fences that say `swift`, without their indentation.
  static func blocks(of article: String) -> [[Substring]] {
    var blocks: [[Substring]] = []
    var isInside = false
    for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInside = line == "```swift"
        if isInside { blocks.append([]) }
      } else if isInside {
        blocks[blocks.count - 1].append(line.trimmed)
      }
    }
    return blocks
  }

  @Test(arguments: articles)
  func `every block of Swift in an article is code that runs here`(_ article: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: article), encoding: .utf8)
    let folder = Self.root.appending(path: "Tests/TapTests/Examples")
    let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
      try String(contentsOf: $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
        \.trimmed)
    }
    let blocks = Self.blocks(of: text)
    #expect(!blocks.isEmpty, "\(article) has no example")
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
