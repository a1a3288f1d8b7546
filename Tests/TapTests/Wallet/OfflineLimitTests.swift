import EMVCard
import EMVData
import Fixtures
import Foundation
import ISO7816
import JSON
import TestSupport
import Testing

/// Processes of `tap present` with one wallet, whose card approves payments without its issuer up to a limit.
@Suite("The limits of payments without the issuer", .blocks, .timeLimit(.minutes(20)))
struct OfflineLimitTests {
  let scratch: Scratch
  private let folder: String

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
  }

  /// Adds a card that approves up to 50.00.
  private func addCard(_ limits: [(String, JSONValue)]) throws {
    var profile = try CardProfile(json: [UInt8](Fixtures.data("Cards/visa-fdda.json")))
    profile.applications[0].schemeKeys["offlineApproval"] = JSONValue(
      members: [("limit", 5000), ("currency", "978")] + limits.map { ($0.0, Optional($0.1)) })
    let file = try scratch.write("card.json", String(decoding: profile.json, as: UTF8.self))
    let added = try TapProgram.run("wallet", "add", "--wallet", folder, "--card", file, "--id", "card", "--uses", "50")
    #expect(added.code == 0, "\(added.errors)")
  }

  /// The line of `tap wallet keys` about payments without the issuer; nil without one.
  private func counted() throws -> String? {
    let keys = try TapProgram.run("wallet", "keys", "--wallet", folder)
    #expect(keys.code == 0, "\(keys.errors)")
    return keys.output.split(separator: "\n").first { $0.contains("without the issuer") }.map(String.init)
  }

  @Test func `a process that is killed after its approval has used it up`() throws {
    try addCard([("count", 3)])
    var types: [CryptogramType?] = []
    for _ in 1...12 {
      let card = try PresentedCard(wallet: folder)
      try card.select()
      types.append(try card.approval())
      try card.kill()
    }
    #expect(types == [.tc, .tc, .tc] + Array(repeating: .arqc, count: 9))
    #expect(
      try counted() == "  F0000000011010: approvals without the issuer: 3 of 3, counted until it is authenticated")
  }

  @Test func `six processes that are armed at once share what is left`() throws {
    try addCard([("count", 2)])
    for expected in [2, 0] {
      let cards = try (0..<6).map { _ in try PresentedCard(wallet: folder) }
      for card in cards { try card.select() }
      let types = try cards.map { try $0.approval() }
      for card in cards { try card.complete() }
      #expect(types.count { $0 == .tc } == expected && types.count { $0 == .arqc } == 6 - expected)
    }
  }

  @Test func `a card that was armed and approved nothing gives its approval back`() throws {
    try addCard([("count", 1)])
    let waiting = try PresentedCard(wallet: folder)
    let other = try PresentedCard(wallet: folder)
    try other.select()
    #expect(try other.approval() == .arqc)
    try other.complete()
    #expect(try TapProgram.run("wallet", "suspend", "--wallet", folder, "card").code == 0)
    #expect(try TapProgram.finish(waiting.program).errorCode() == "cardNotActive")
    #expect(try TapProgram.run("wallet", "resume", "--wallet", folder, "card").code == 0)
    #expect(try counted() == nil)
    let last = try PresentedCard(wallet: folder)
    try last.select()
    #expect(try last.approval() == .tc)
    try last.complete()
    #expect(try counted() != nil)
  }

  @Test func `a folder that was copied while armed and put back approves nothing again`() throws {
    try addCard([("count", 1)])
    var types: [CryptogramType?] = []
    for round in 1...6 {
      let card = try PresentedCard(wallet: folder)
      try card.select()
      let copy = scratch.path("copy\(round)")
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
      types.append(try card.approval())
      try card.complete()
      // The simulated device is in the folder too, and stays as it is.
      try FileManager.default.removeItem(atPath: copy + "/device")
      for name in try FileManager.default.contentsOfDirectory(atPath: copy) {
        try? FileManager.default.removeItem(atPath: folder + "/" + name)
        try FileManager.default.copyItem(atPath: copy + "/" + name, toPath: folder + "/" + name)
      }
    }
    #expect(types == [.tc] + Array(repeating: .arqc, count: 5))
  }

  @Test func `a payment is approved up to what is left of the sum`() throws {
    try addCard([("total", 2000)])
    let first = try PresentedCard(wallet: folder)
    let second = try PresentedCard(wallet: folder)
    for card in [first, second] { try card.select() }
    // The first one has the whole sum reserved.
    #expect(try second.approval(of: "000000000001") == .arqc)
    #expect(try first.approval() == .tc)
    for card in [first, second] { try card.complete() }
    for (amount, type) in [("000000000767", CryptogramType.arqc), ("000000000766", .tc), ("000000000001", .arqc)] {
      let card = try PresentedCard(wallet: folder)
      try card.select()
      #expect(try card.approval(of: amount) == type, "\(amount)")
      try card.complete()
    }
  }

  @Test(arguments: ["00000000000A", "0000000000A0", "00000000F000", "F00000000000", "000000001F34"])
  func `an amount of other than decimal digits is not approved`(_ amount: String) throws {
    try addCard([])
    let card = try PresentedCard(wallet: folder)
    try card.select()
    #expect(try card.approval(of: amount) == .arqc)
    try card.complete()
  }
}
