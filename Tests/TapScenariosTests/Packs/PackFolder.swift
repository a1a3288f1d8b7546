import Fixtures
import Foundation
import TapScenarios
import Testing

/// A folder of scenarios with a catalogue and a table of mutants.
struct PackFolder: Sendable {
  /// The folder in `Fixtures`.
  let name: String
  /// The name in the title of the catalogue.
  let title: String
  /// The suite that writes the generated files.
  let suite: String
  /// The scenarios. They are read once, since that takes seconds without optimisation.
  private let content: Result<[ScenarioFile], any Error>

  init(name: String, title: String, suite: String) {
    (self.name, self.title, self.suite) = (name, title, suite)
    content = Result { try Self.read(Fixtures.url(name)) }
  }

  static let terminal = PackFolder(name: "TerminalTests", title: "terminal tests", suite: "TerminalPackTests")
  static let card = PackFolder(name: "CardTests", title: "card tests", suite: "CardPackTests")

  /// All scenarios, by folder and name.
  func files() throws -> [ScenarioFile] { try content.get() }

  private static func read(_ folder: URL) throws -> [ScenarioFile] {
    let profile = try [UInt8](Fixtures.data("Terminals/all-kernels.json"))
    let names = (FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".yaml") }.sorted()
    return try names.map { try ScenarioFile(folder.appending(path: $0).path, terminal: profile) }
  }

  /// The scenarios by their identifiers.
  func filesByID() -> [String: ScenarioFile] {
    Dictionary(((try? files()) ?? []).map { ($0.packTest?.id ?? $0.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Checks that every scenario is one of the pack, has an identifier of its own and a description, and finds a fault. One
  /// whose rule cites no public book is a warning.
  ///
  /// - Parameter faults: The faults of all mutants.
  func check(_ faults: [String]) throws {
    let files = try files()
    let tests = try files.map { try #require($0.packTest, "\($0.path)") }
    #expect(tests.count >= 80 && Set(tests.map(\.id)).count == tests.count)
    for file in files {
      // A place such as "byte 4 bit 8 of tag 95" is no sentence on why the rule matters.
      let words = file.scenario.description?.split(separator: " ") ?? []
      #expect(words.count >= 8, "\(file.path): \(words.joined(separator: " "))")
      let test = try #require(file.packTest)
      let isWarning = test.severity == .warning
      #expect(isWarning || RuleMatrix.citesBook(test.rule), "\(test.id) cites no book, and a difference is a failure")
    }
    #expect(faults.count >= 60 && Set(faults).count == faults.count)
    for test in tests {
      let finding = try #require(test.finding, "\(test.id)")
      #expect(faults.contains(finding.fault), "\(test.id): \(finding.fault)")
    }
  }

  /// Compares the table of mutants with what the scenarios find now.
  func checkTable(
    faults: [String],
    _ found: @escaping @Sendable (ScenarioFile) async throws -> [(fault: String, verdict: PackVerdict)]
  ) async throws {
    let files = try files()
    let rows = try await MutantTable.rows(files, found)
    try MutantTable.check(rows, files, faults: faults)
    MutantTable.checkOverlap(rows, files)
    try compare(MutantTable.text(rows), with: "MUTANTS.txt")
  }

  /// Compares the catalogue and the matrix of rules with the scenarios. A rule without a scenario must have a reason, and
  /// every other rule none.
  func checkPages() throws {
    let files = try files()
    let rules = try RuleMatrix.rules(of: self)
    #expect(RuleMatrix.open(rules, files).map(\.place) == rules.filter { !$0.reason.isEmpty }.map(\.place))
    try compare(PackCatalogue.text(self, files), with: "CATALOGUE.md")
    try compare(RuleMatrix.text(self, files), with: "RULES.md")
  }

  /// The folder of a scenario, such as `Records`.
  static func group(of file: ScenarioFile) -> String {
    URL(filePath: file.path).deletingLastPathComponent().lastPathComponent
  }

  /// Compares a text with a fixture, or writes it into the folder that `PACK_WRITE` names.
  func compare(_ text: String, with file: String) throws {
    if let folder = ProcessInfo.processInfo.environment["PACK_WRITE"], !folder.isEmpty {
      try Data(text.utf8).write(to: URL(filePath: folder).appending(path: file))
    } else {
      let fixture = try String(decoding: Fixtures.data("\(name)/\(file)"), as: UTF8.self)
      #expect(fixture == text, "\(file) is not up to date: run this suite with PACK_WRITE=Fixtures/\(name)")
    }
  }
}

/// What a scenario finds at a terminal or card.
struct PackVerdict: Sendable {
  /// The differences of all taps.
  var failures: [ScenarioFailure] = []
  /// Whether the scenario asks what was shown, and the terminal showed nothing that has a name.
  var isUnseen = false
  /// Changes of the card that never applied.
  var missingChanges: [String] = []

  var isPassed: Bool { failures.isEmpty && !isUnseen }

  /// Whether a check finds something; `check` is the beginning of its element.
  func isFound(by check: String) -> Bool {
    failures.contains { $0.element.hasPrefix(check) } || isUnseen && check == "shown"
  }
}

extension ScenarioFile {
  /// The identity of a scenario of a pack; nil for any other.
  var packTest: PackTest? { scenario.packTest }
}
