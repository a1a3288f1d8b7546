import Foundation
import Testing

/// The time limits of suites that wait for programs, readers and threads.
struct TimeLimitTests {
  struct Attributes {
    let file: String
    let text: String
  }

  /// The attributes of each suite under Tests.
  private static func suites() throws -> [Attributes] {
    let tests = OracleTests.root.appending(path: "Tests").path
    let paths = try #require(FileManager.default.enumerator(atPath: tests)).compactMap { $0 as? String }
    return try paths.filter { $0.hasSuffix(".swift") }.flatMap { path in
      try String(contentsOfFile: "\(tests)/\(path)", encoding: .utf8).components(separatedBy: "@Suite(").dropFirst()
        .map { Attributes(file: path, text: String($0.prefix { $0 != "{" })) }
    }
  }

  @Test func `every suite that blocks its threads has a time limit`() throws {
    let suites = try Self.suites()
    #expect(suites.count > 50)
    let blocking = suites.filter { $0.text.contains(".blocks") }
    #expect(blocking.count > 20)
    let unlimited = blocking.filter { !$0.text.contains(".timeLimit") }.map(\.file)
    #expect(unlimited.isEmpty)
  }
}
