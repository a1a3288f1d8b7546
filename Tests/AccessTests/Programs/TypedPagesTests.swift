import Foundation
import TestSupport
import Testing

/// The README and the articles as a new user follows them: the lines of their shell blocks, typed at terminals.
@Suite("The typed pages", .serialized, .timeLimit(.minutes(30)))
struct TypedPagesTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardizedFileURL.path

  /// The README first, then the articles of the whole in the order in which they refer to each other, then the others.
  private static func pages() throws -> [String] {
    let articles = [
      "FirstPayments", "TestingCardsAndTerminals", "TheProgramTap", "Readers", "ServerAndWallet", "FeaturesAndLimits",
      "Contactless",
    ]
    let first = ["README.md"] + articles.map { "Sources/Contactless.docc/\($0).md" }
    let files = try FileManager.default.subpathsOfDirectory(atPath: package + "/Sources")
    let others = files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map { "Sources/" + $0 }
    return first + Set(others).subtracting(first).sorted()
  }

  @Test func `every line of README and articles works when all are typed in one folder, in order`() async throws {
    let scratch = try Scratch()
    let programs = URL(filePath: AccessPrograms.path("tap")).deletingLastPathComponent().path
    let pages = try Self.pages()
    #expect(pages.count > 40)
    let typing = try ProgramRun(
      "/usr/bin/python3",
      [Self.package + "/tools/oracles/type_pages.py", programs, Self.package, scratch.directory.path] + pages)
    #expect(try await typing.meets(timeout: .seconds(1_700)) { $0.poll() != nil })
    #expect(try typing.finish() == .exited(0), "\(typing.output)\(typing.errors)")
  }
}
