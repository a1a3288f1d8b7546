import Foundation
import Testing

/// Imports point one way: each target depends only on the targets in its row.
@Suite("Arrows between targets")
struct ArrowTests {
  /// The rows of the table in the article of the package: a target and its imports.
  static func table() throws -> [String: Set<String>] {
    let article = ExampleTests.root.appending(path: "Sources/Contactless.docc/Contactless.md")
    var rows: [String: Set<String>] = [:]
    for line in try String(contentsOf: article, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count == 5, let name = Self.quoted(cells[1]).first else { continue }
      rows[name] = Set(Self.quoted(cells[3]))
    }
    return rows
  }

  /// The words between backticks.
  static func quoted(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// Programs and tests see both sides of a tap. So do the targets outside Sources, which only these import.
  static let outermost = ["executable", "test"]

  struct Description: Decodable {
    struct Target: Decodable {
      /// `{"byName": [NAME, CONDITION]}`, or `target` or `product` in place of `byName`.
      struct Dependency: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
          let container = try decoder.container(keyedBy: Kind.self)
          let kind = try #require(container.allKeys.first, "a dependency of an unknown kind")
          var values = try container.nestedUnkeyedContainer(forKey: kind)
          name = try values.decode(String.self)
        }

        enum Kind: String, CodingKey { case byName, target, product }
      }
      let name: String
      let type: String
      let path: String?
      let dependencies: [Dependency]
    }
    struct Product: Decodable {
      let name: String
      let targets: [String]
      /// `{"library": ["automatic"]}`, `{"library": ["dynamic"]}` or `{"executable": null}`.
      let type: [String: [String]?]
    }
    let targets: [Target]
    let products: [Product]
  }

  static func description() throws -> Description {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let file = root.appending(path: ".build/package-description.json")
    guard let data = try? Data(contentsOf: file) else {
      throw MissingDescription()
    }
    return try JSONDecoder().decode(Description.self, from: data)
  }

  struct MissingDescription: Error, CustomStringConvertible {
    let description =
      "no package description: run `swift package dump-package > .build/package-description.json` first, as tools/test does"
  }

  @Test func `every target imports exactly what its row in the article names`() throws {
    let table = try Self.table()
    var seen: Set<String> = []
    for target in try Self.description().targets {
      guard !Self.outermost.contains(target.type), target.path?.hasPrefix("Sources/") == true else { continue }
      seen.insert(target.name)
      let allowed = try #require(table[target.name], "\(target.name) has no row in Contactless.docc")
      #expect(Set(target.dependencies.map(\.name)) == allowed, "\(target.name)")
    }
    #expect(Set(table.keys) == seen)
  }

  /// The wings, each before those that may import its targets.
  static let wings = [
    "System", "Bytes", "EMV", "Device", "Readers", "Payment", "FIDO", "Access", "Server", "Lab", "Programs",
  ]

  @Test func `a wing imports only wings before it, and none but programs the Lab`() throws {
    var wings: [String: String] = [:]
    let targets = try Self.description().targets
    for target in targets {
      let folders = target.path?.split(separator: "/").map(String.init) ?? []
      if folders.first == "Sources" { wings[target.name] = folders[1] }
    }
    #expect(Set(wings.values) == Set(Self.wings))
    for target in targets {
      guard let wing = wings[target.name] else { continue }
      for imported in target.dependencies.compactMap({ wings[$0.name] }) where imported != wing {
        let places = (try #require(Self.wings.firstIndex(of: imported)), try #require(Self.wings.firstIndex(of: wing)))
        #expect(places.0 < places.1 && (imported != "Lab" || wing == "Programs"), "\(target.name) imports \(imported)")
      }
    }
  }

  @Test func `the products are those of the article, and each former one has a place`() throws {
    let article = ExampleTests.root.appending(path: "Sources/Contactless.docc/Contactless.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    let cells = lines.map { $0.split(separator: "|").map(Self.quoted) }
    let described = Dictionary(uniqueKeysWithValues: cells.filter { $0.count == 4 }.map { ($0[0][0], $0[2]) })
    let libraries = try Self.description().products.filter { $0.type["library"] == .some(["automatic"]) }
    #expect(described == Dictionary(uniqueKeysWithValues: libraries.map { ($0.name, $0.targets) }))
    for row in cells where row.count == 2 && !row[1].isEmpty {
      let modules = try #require(described[row[1][0]])
      // The last word of a module that is gone is the one that has its types.
      for former in row[0] { #expect(modules.contains(former) || modules.contains(row[1].last ?? ""), "\(former)") }
    }
  }

  @Test func `card side and terminal side meet only in replays, simulations, programs and tests`() throws {
    let (card, terminal): (Set, Set) = (["EMVCard", "ContactlessPayment"], ["EMVTerminal", "PaymentAcceptance"])
    let both = try Self.table().filter { !$0.value.isDisjoint(with: card) && !$0.value.isDisjoint(with: terminal) }
    #expect(
      Set(both.keys) == [
        "PaymentSimulation", "TapLatency", "TapScenarios", "ProductSimulation", "ProfileAuthoring", "PaymentPrograms",
      ])
  }

  @Test func `the test that each recipe of the article names exists`() throws {
    let article = ExampleTests.root.appending(path: "Sources/Contactless.docc/Contactless.md")
    let files =
      FileManager.default.enumerator(atPath: ExampleTests.root.appending(path: "Tests").path)?
      .compactMap { ($0 as? String)?.split(separator: "/").last.map(String.init) } ?? []
    let recipes = try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter {
      $0.hasPrefix("| Add ")
    }
    #expect(recipes.count == 8)
    for recipe in recipes {
      let test = try #require(Self.quoted(recipe).last)
      #expect(files.contains("\(test).swift"), "\(recipe)")
    }
  }

  @Test func `a C library is imported by exactly one target`() throws {
    let targets = try Self.description().targets
    for library in targets where library.type == "system" {
      let users = targets.filter { $0.dependencies.contains { $0.name == library.name } }
      #expect(users.count == 1, "\(library.name) is used by \(users.map(\.name))")
    }
  }

  // `swift build -c release` builds every target but the tests, without the access that a test has.
  @Test func `no target of a release build imports another one for tests`() throws {
    let targets = try Self.description().targets.filter { !["test", "system"].contains($0.type) }
    #expect(targets.contains { $0.name == "access-exercise" })
    for target in targets {
      let folder = ExampleTests.root.appending(path: try #require(target.path, "\(target.name)"))
      let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      for file in files where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        #expect(!text.contains("@testable import"), "\(target.name): \(file)")
      }
    }
  }

  @Test func `no source outside Bytes reads a clock of its own`() throws {
    let root = ExampleTests.root.appending(path: "Sources")
    let clocks = ["ContinuousClock", "SuspendingClock", "DispatchTime.now", "Date()", "Date.now", "clock_gettime"]
    // A wait on a condition variable ends at a time of its own clock.
    let exceptions = ["Readers/Links/Threads/WaitableState.swift"]
    let files = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Bytes/Octets/") && !exceptions.contains($0) }
    #expect(files.count > 300)
    for file in files {
      let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
      for clock in clocks { #expect(!text.contains(clock), "\(file) uses \(clock): take the time from MonotonicClock") }
    }
  }
}
