import Fixtures
import Foundation
import TestSupport
import Testing

/// The wallets of `Fixtures/States`, which former programs have left behind, at the programs.
@Suite("Wallets that former programs have left", .blocks, .timeLimit(.minutes(20)))
struct StoredStatesTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The folder of a state; for each card its state and the payments left; and the counter of the next payment, nil when the
  /// wallet pays no more.
  static let states: [(folder: String, cards: [(state: String, left: Int)], counter: Int?)] = [
    ("left", [("active", 17)], 4), ("armed", [("active", 17)], 4), ("blocked", [("active", 8)], nil),
    ("retired", [("retired", 19), ("suspended", 5)], nil), ("enrolled", [("active", 2)], 3),
  ]

  /// Copies a state and returns the folder.
  private func copy(_ name: String) throws -> String {
    let folder = scratch.path(name)
    try FileManager.default.copyItem(at: Fixtures.url("States/\(name)"), to: URL(filePath: folder))
    // Git keeps no more of a mode than the right to execute.
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/" + file)
    }
    return folder
  }

  @Test(arguments: states.indices)
  func `a wallet of a former program has its cards, and pays with the next counter or refuses`(_ index: Int) throws {
    let state = Self.states[index]
    let folder = try copy(state.folder)
    let list = try TapProgram.run("wallet", "list", "--wallet", folder, "--format", "json")
    #expect(list.code == 0, "\(list.errors)")
    let cards = try list.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(cards.map { $0["state"] as? String } == state.cards.map(\.state))
    #expect(cards.map { $0["paymentsLeft"] as? Int } == state.cards.map(\.left))
    let paid = try TapProgram.run("present", "--link", "loopback", "--wallet", folder, "--format", "json")
    if let counter = state.counter {
      #expect(try paid.json()["transactionCounter"] as? Int == counter, "\(paid.output)\(paid.errors)")
    } else {
      #expect(paid.code != 0 && !paid.output.contains("cryptogram"), "\(paid.output)")
    }
  }

  @Test(arguments: states.indices)
  func `a wallet of a former program without its device is refused, and named`(_ index: Int) throws {
    let folder = try copy(Self.states[index].folder)
    try FileManager.default.removeItem(atPath: folder + "/device")
    let list = try TapProgram.run("wallet", "list", "--wallet", folder)
    #expect(list.code == 1 && list.errors.contains("\(folder)/device: there is no device"), "\(list.errors)")
  }
}
