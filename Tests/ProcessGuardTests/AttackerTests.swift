import Foundation
import Glibc
import TestSupport
import Testing

/// Attackers that need no way into a process, each against the programs of the package and with a positive control. Those
/// that enter a process are in the other suites of this target.
@Suite("Attackers outside of a process", .blocks, .timeLimit(.minutes(60)))
struct AttackerTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func tap(_ arguments: [String]) throws -> (code: ProgramRun.Ending, text: String) {
    let run = try ProgramRun(Exercise.programs.appending(path: "tap").path, arguments)
    let code = try run.finish(timeout: .seconds(300))
    return (code, run.output + run.errors)
  }

  private func card(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/Cards/\(name).json")
      .standardized.path
  }

  @Test(arguments: [true, false]) func `a replayed database is refused by the first payment, unless it is unprotected`(
    _ isProtected: Bool
  ) throws {
    let (wallet, phone) = (scratch.path("wallet"), scratch.path("phone"))
    let option = isProtected ? [] : ["--without-rollback-protection"]
    let place = ["--wallet", wallet, "--device", phone]
    let added = try tap(["wallet", "add", "--card", card("visa-cvn18")] + place + option)
    try #require(added.code == .exited(0), "\(added.text)")
    try FileManager.default.copyItem(atPath: wallet, toPath: scratch.path("older"))
    let present = ["present", "--link", "loopback", "--format", "json"] + place
    #expect(try tap(present).code == .exited(0))
    try FileManager.default.removeItem(atPath: wallet)
    try FileManager.default.moveItem(atPath: scratch.path("older"), toPath: wallet)
    let replayed = try tap(present)
    #expect(replayed.text.contains("storeRolledBack") == isProtected, "\(replayed.text)")
    #expect(replayed.code == .exited(isProtected ? 2 : 0))
  }

  @Test func `an unprivileged neighbour reads no wallet and opens no device, as their user does`() throws {
    try #require(getuid() == 0, "only root can become another user: run the tests as root")
    let wallet = scratch.path("wallet")
    let added = try tap(["wallet", "add", "--card", card("visa-cvn18"), "--wallet", wallet])
    try #require(added.code == .exited(0), "\(added.text)")
    let device = try ProgramRun(
      Exercise.programs.appending(path: "tap-device").path,
      ["serve", "--user", "root", "--socket", scratch.path("socket"), "--state", scratch.path("state")])
    try #require(device.wait(timeout: .seconds(300)) { $0.errors.contains("tap-device serves") }, "\(device.errors)")
    for path in [wallet, scratch.path("socket")] { try Exercise.succeed("chown", ["-R", Exercise.user, path]) }
    // The folders of both are open: only the wallet and the socket themselves protect.
    try Exercise.succeed("chmod", ["755", scratch.directory.path])
    let reading = ["ls", wallet]
    let connecting = [
      "/usr/bin/python3", "-c", "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])",
      scratch.path("socket"),
    ]
    for attack in [reading, connecting] {
      let own = try Exercise.attack(as: Exercise.user, attack)
      #expect(own.code == .exited(0), "\(own.text)")
      let neighbour = try Exercise.attack(as: Exercise.neighbour, attack)
      #expect(neighbour.code != .exited(0) && neighbour.text.contains("Permission denied"), "\(neighbour.text)")
    }
  }

  private static let select = "00A4040007A000000003101000"
  /// GET PROCESSING OPTIONS for 50.65 euros.
  private static let options =
    "80A8000023832132804000000000005065000000000000027600000000000978260131" + "00" + "1234567800"

  @Test func `a hostile terminal gets no cryptogram out of order or a second time, and the card goes on`() throws {
    let card = "loopback:\(card("visa-cvn18"))"
    let honest = try tap(["send", "--reader", card, Self.select, Self.options])
    #expect(honest.text.contains("2. GET PROCESSING OPTIONS  9000"), "\(honest.text)")
    #expect(honest.text.contains("9F2608"), "\(honest.text)")
    // Before the selection, malformed, out of its order, and after garbage.
    let hostile = [
      Self.options, "80AE8000230000000000", Self.select, "80A80000028300" + "00", "00B2010C00", "80CA9F2600", "8034",
      "00A40400FF",
    ]
    let attacked = try tap(["send", "--raw", "--reader", card] + hostile + [Self.select])
    #expect(!attacked.text.contains("9F2608"), "\(attacked.text)")
    #expect(attacked.text.contains("9. SELECT  9000"), "\(attacked.text)")
    let repeated = try tap(["send", "--reader", card, Self.select, Self.options, Self.options])
    #expect(repeated.text.contains("3. GET PROCESSING OPTIONS  69"), "\(repeated.text)")
  }

  @Test(arguments: ["faulty-cryptogram", "faulty-records"])
  func `a hostile card gets no approval, and its honest twin gets one`(_ name: String) throws {
    let arguments = ["accept", "--reader", "loopback:\(card(name))", "--amount", "12.34", "--currency", "EUR"]
    let honest = try tap(arguments)
    #expect(honest.code == .exited(0), "\(honest.text)")
    let hostile = try tap(arguments + ["--faults"])
    #expect(hostile.code == .exited(2), "\(hostile.text)")
  }
}
