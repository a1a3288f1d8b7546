import Testing

/// Folders side by side use each other in one direction. A folder and the folders in it are one room.
@Suite("Rooms of a target")
struct RoomTests {
  /// Targets in which folders side by side still use each other, with the reason.
  static let exceptions: [String: String] = [
    "Programs/tap-wallet": "the commands open the app, and the app prompts as the commands do"
  ]

  /// Two folders of a target that use each other.
  struct Pair: Hashable, CustomStringConvertible {
    let folders: [String]
    /// Names that each folder uses of the other one.
    let names: [[String]]

    var description: String {
      "\(folders[0]) uses \(names[0].prefix(4).joined(separator: ", ")) of \(folders[1]), "
        + "which uses \(names[1].prefix(4).joined(separator: ", "))"
    }
  }

  static func pairs(in sources: [SwiftSource]) -> [Pair] {
    var owners: [String: Set<String>] = [:]
    for source in sources { for name in source.types { owners[name, default: []].insert(source.folder) } }
    var uses: [[String]: Set<String>] = [:]
    for source in sources {
      for name in source.uses {
        guard let folders = owners[name], folders.count == 1, let owner = folders.first else { continue }
        let isOneRoom = "\(owner)/".hasPrefix("\(source.folder)/") || "\(source.folder)/".hasPrefix("\(owner)/")
        if !isOneRoom { uses[[source.folder, owner], default: []].insert(name) }
      }
    }
    return uses.keys.filter { $0[0] < $0[1] }.sorted { $0.joined() < $1.joined() }.compactMap { folders in
      guard let names = uses[folders], let others = uses[folders.reversed()] else { return nil }
      return Pair(folders: folders, names: [names.sorted(), others.sorted()])
    }
  }

  @Test func `folders side by side use each other in one direction`() throws {
    let targets = Dictionary(grouping: try SwiftSource.all(), by: \.target)
    #expect(targets.count > 40)
    for (target, sources) in targets.sorted(by: { $0.key < $1.key }) {
      let pairs = Self.pairs(in: sources)
      if Self.exceptions[target] != nil {
        #expect(!pairs.isEmpty, "\(target) needs no exception")
      } else {
        #expect(pairs.isEmpty, "\(pairs.map(\.description).joined(separator: "\n"))")
      }
    }
    for target in Self.exceptions.keys { #expect(targets[target] != nil, "\(target) is no target") }
  }

  @Test func `at most 25 files lie flat in a folder`() throws {
    let folders = Dictionary(grouping: try SwiftSource.all(), by: \.folder)
    for (folder, sources) in folders { #expect(sources.count <= 25, "\(folder) has \(sources.count) files") }
  }

  @Test func `two folders that use each other are found, a folder and the one in it are not`() {
    func source(_ path: String, _ text: String) -> SwiftSource {
      SwiftSource(path: "Wing/Target/\(path)", Array(text.utf8))
    }
    let sources = [
      source("A/One.swift", "struct One { let two: Two }"), source("B/Two.swift", "struct Two { var one: One? }"),
      source("A/Inner/Three.swift", "struct Three { let one: One }"), source("A/Four.swift", "typealias Four = Three"),
      source("Five.swift", "struct Five { let two: Two }"), source("B/Six.swift", "struct Six { let five: Five }"),
    ]
    let pairs = Self.pairs(in: sources)
    #expect(pairs.map(\.folders) == [["Wing/Target/A", "Wing/Target/B"]])
    #expect(pairs.map(\.names) == [[["Two"], ["One"]]])
  }
}
