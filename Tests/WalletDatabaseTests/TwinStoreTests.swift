import DeviceAuthentication
import Fixtures
import Foundation
import GRDB
import TestSupport
import Testing
import WalletDatabase

/// Two copies of one wallet on one device, and two processes on one wallet.
@Suite("A wallet and its copy", .blocks, .timeLimit(.minutes(60)))
struct TwinStoreTests {
  let scratch: Scratch
  let device: String

  init() throws {
    scratch = try Scratch()
    device = scratch.path("device")
    try StoredDevice(path: device).apply([.setPasscode, .enrolBiometric])
  }

  /// Creates a wallet with a card and returns the options of its commands.
  func wallet(_ name: String, uses: Int) throws -> [String] {
    let options = options(name)
    _ = try DeviceChangeProcessTests.run(
      "set-up", options + ["--card", Fixtures.url("Cards/visa-cvn18.json").path, "--uses", "\(uses)"])
    return options
  }

  func options(_ name: String) -> [String] { ["--wallet", scratch.path(name), "--device", device] }

  /// Starts payments and returns their outputs.
  func outcomes(_ wallets: [[String]]) throws -> [String] {
    let programs = try wallets.map { try DeviceChangeProcessTests.start("pay", $0) }
    return try programs.map { try DeviceChangeProcessTests.output(of: $0) }
  }

  @Test func `of two copies that pay at the same time, never both use one counter, and one is refused from then on`()
    throws
  {
    for round in 1...25 {
      let original = try wallet("wallet\(round)", uses: 9)
      try FileManager.default.copyItem(
        atPath: scratch.path("wallet\(round)"), toPath: scratch.path("copy\(round)"))
      let both = [original, options("copy\(round)")]
      let first = try outcomes(both)
      #expect(first.filter { $0 == "paid 1" }.count <= 1, "\(first)")
      let second = try outcomes(both)
      let paid = (first + second).filter { $0.hasPrefix("paid") }
      #expect(Set(paid).count == paid.count, "\(first) \(second)")
      // One copy has paid, or neither when each has spent a use that the other's step prevented.
      #expect((first + second).contains { $0.contains("storeRolledBack") || $0.contains("another copy") })
    }
  }

  @Test func `a copy that another process locks while the original pays does not use the same counter`() throws {
    let original = try wallet("wallet", uses: 9)
    try FileManager.default.copyItem(atPath: scratch.path("wallet"), toPath: scratch.path("copy"))
    let path = scratch.path("copy") + "/" + SQLiteWalletStore.fileName
    let locked = try DatabaseQueue(path: path)
    let copy = try locked.writeWithoutTransaction { database in
      // The copy reads the device's counter and waits for its file, for at most 5 s.
      try database.execute(sql: "BEGIN IMMEDIATE")
      let copy = try DeviceChangeProcessTests.start("pay", options("copy"))
      #expect(try DeviceChangeProcessTests.run("pay", original) == "paid 1")
      try database.execute(sql: "ROLLBACK")
      return copy
    }
    let outcome = try DeviceChangeProcessTests.output(of: copy)
    #expect(!outcome.hasPrefix("paid"), "\(outcome)")
    #expect(try DeviceChangeProcessTests.run("pay", options("copy")).contains("another copy"))
    #expect(try DeviceChangeProcessTests.run("pay", original) == "paid 2")
  }

  @Test func `several processes on one wallet pay, each with a counter of its own`() throws {
    let options = try wallet("wallet", uses: 40)
    var paid: [String] = []
    for _ in 1...4 { paid += try outcomes(Array(repeating: options, count: 4)) }
    #expect(paid.allSatisfy { $0.hasPrefix("paid") }, "\(paid)")
    #expect(Set(paid).count == 16, "\(paid)")
  }
}
