import Fixtures
import Foundation
@testable import ServerShell
import Testing

@testable import AccessServer

@Suite("openapi.yaml")
struct DescriptionTests {
  /// The paths of the description with their methods. It is written with one path and one method a line.
  static func described() throws -> Set<String> {
    let text = String(decoding: try Fixtures.data("API/openapi.yaml"), as: UTF8.self)
    var path = ""
    var found: Set<String> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("  /") { path = String(line.dropFirst(2).dropLast()).replacing(/\{[A-Za-z]+\}/, with: "*") }
      for method in ["get", "post", "patch", "delete"] where line == "    \(method):" {
        found.insert("\(method.uppercased()) \(path)")
      }
    }
    return found
  }

  @Test func `the description has exactly the paths and methods of the server`() throws {
    let served = AccessService.routes.map { "\($0.method) /\($0.pattern.joined(separator: "/"))" }
    #expect(try Self.described() == Set(served))
    #expect(Set(served).count == served.count)
  }
}
