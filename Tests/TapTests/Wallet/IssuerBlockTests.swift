import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import ISO7816
import JSON
import Octets
import TestSupport
import Testing
import WalletDatabase

/// Two processes of `tap present` with one card, and scripts of its issuer in one of them or in both.
@Suite("A block of the issuer and other processes", .blocks, .timeLimit(.minutes(20)))
struct IssuerBlockTests {
  let scratch: Scratch
  private let folder: String
  private let image: CardImage

  init() throws {
    scratch = try Scratch()
    folder = scratch.path("wallet")
    let made = try TapProgram.run("card", "new", "--scheme", "mastercard", "--issuer-response")
    var profile = try CardProfile(json: Array(made.output.utf8))
    profile.applications[0].getData = ["9F58 01"]
    profile.applications[0].schemeKeys["scripts"] = ["putData": ["9F58"]]
    image = try CardImage(json: profile.json)
    let file = try scratch.write("card.json", String(decoding: profile.json, as: UTF8.self))
    let added = try TapProgram.run("wallet", "add", "--wallet", folder, "--card", file, "--id", "card", "--uses", "20")
    #expect(added.code == 0, "\(added.errors)")
  }

  /// What the store has kept.
  private func kept() async throws -> CardState {
    let store = try SQLiteWalletStore(directory: folder)
    let binding = try #require(try store.binding())
    try store.unlock(with: await StoredDevice(path: folder + "/device").ports.keys.unseal(binding.key.identifier))
    return try #require(try store.cards().first).cardState
  }

  /// CARD BLOCK and APPLICATION BLOCK, what the other process then ends with, and what the card that was blocked answers next.
  @Test(
    arguments: [(0x16, "cardNotActive", "6A81"), (0x1E, "sessionInvalidated", "9000")] as [(UInt8, String, String)])
  func `a block ends every other armed card, and the tap that brought it finishes`(
    _ instruction: UInt8, _ code: String, _ next: String
  ) throws {
    let armed = try PresentedCard(wallet: folder)
    let blocking = try ScriptedTap(PresentedCard(wallet: folder), image)
    #expect(try blocking.script(instruction) == "9000")
    // The other process has read the store since, and so has this one.
    let ended = try TapProgram.finish(armed.program)
    #expect(try ended.errorCode() == code, "\(ended.output)\(ended.errors)")
    #expect(!ended.output.contains("cryptogram"))
    #expect(try blocking.card.send("80CA9F5800")?.suffix(2) == [UInt8](hex: next)[...])
    let completed = try blocking.card.leave()
    #expect(completed.code == 0, "\(completed.output)\(completed.errors)")
    #expect(try completed.json()["event"] as? String == "transactionCompleted")
    let later = try TapProgram.run("present", "--link", "loopback", "--wallet", folder, "--format", "json")
    #expect(later.code != 0 && !later.output.contains("cryptogram"), "\(later.output)")
  }

  @Test func `a script in a process that was armed before a block does not lift it`() async throws {
    let early = try ScriptedTap(PresentedCard(wallet: folder), image)
    let blocking = try ScriptedTap(PresentedCard(wallet: folder), image)
    #expect(try blocking.script(0x1E) == "9000")
    // Acknowledged, unless the block ends the arming before, or while the change is stored.
    let isWritten = try early.script(0xDA, 0x9F58, [7]) == "9000"
    let state = try await kept().applications[0]
    #expect(state.isBlocked && (!isWritten || state.data[0x9F58] == [7]))
    for tap in [early, blocking] { _ = try tap.card.leave() }
    #expect(try await kept().applications[0].isBlocked)
  }

  @Test func `an unblock that is acknowledged is stored, also in a process that was armed before the block`()
    async throws
  {
    let early = try ScriptedTap(PresentedCard(wallet: folder), image)
    let blocking = try ScriptedTap(PresentedCard(wallet: folder), image)
    #expect(try blocking.script(0x1E) == "9000")
    let isLifted = try early.script(0x18) == "9000"
    for tap in [early, blocking] { _ = try tap.card.leave() }
    let state = try await kept().applications[0]
    #expect(!isLifted || !state.isBlocked)
  }

  @Test func `values that two processes write stay, and the block of one of them`() async throws {
    let first = try ScriptedTap(PresentedCard(wallet: folder), image)
    let second = try ScriptedTap(PresentedCard(wallet: folder), image)
    #expect(try first.script(0xDA, 0x9F58, [1]) == "9000")
    #expect(try second.script(0xDA, 0x9F58, [2]) == "9000")
    #expect(try await kept().applications[0].data == [0x9F58: [2]])
    #expect(try first.script(0x1E) == "9000")
    let state = try await kept().applications[0]
    #expect(state.isBlocked && state.data == [0x9F58: [2]])
    for tap in [first, second] { _ = try tap.card.leave() }
  }
}
