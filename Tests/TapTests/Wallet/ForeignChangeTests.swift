import Foundation
import TestSupport
import Testing

/// `tap present` waits for a terminal at a real pcscd while another process changes the wallet or its device.
@Suite("tap present and other processes", .blocks, .serialized, .timeLimit(.minutes(20)))
struct ForeignChangeTests {
  let scratch: Scratch
  let pcscd: IsolatedPCSCD

  init() throws {
    scratch = try Scratch()
    pcscd = try IsolatedPCSCD()
  }

  private var folder: String { scratch.path("wallet") }

  /// The words of a command, where DIR is the folder of the wallet; the code of the session's error; the exit code of
  /// `tap present`; and how many cards are left.
  static let changes: [(command: String, code: String, exit: Int32, cards: Int?)] = [
    ("tap wallet suspend --wallet DIR first", "cardNotActive", 2, 1),
    ("tap wallet retire --wallet DIR first", "cardNotActive", 2, 1),
    ("tap wallet delete --wallet DIR first", "sessionInvalidated", 2, 0),
    ("tap wallet reset --wallet DIR", "sessionInvalidated", 2, 0),
    ("rm DIR/wallet.sqlite", "sessionInvalidated", 2, nil),
    ("tap device simulate --device DIR/device --passcode off", "authenticationKeyInvalidated", 2, 0),
    ("rm DIR/device", "unavailable", 1, nil),
  ]

  private func run(_ command: String) throws -> TapProgram.Run {
    let words = command.replacing("DIR", with: folder).split(separator: " ").map(String.init)
    if words[0] == "tap" { return try TapProgram.finish(TapProgram.start(Array(words.dropFirst()))) }
    return try TapProgram.finish(ProgramRun(words[0], Array(words.dropFirst())))
  }

  @Test(arguments: changes.indices)
  func `an armed card leaves its reader when another process changes what it needs`(_ index: Int) throws {
    let change = Self.changes[index]
    let card = TapProgram.card("visa-cvn18")
    #expect(try run("tap wallet add --wallet DIR --card \(card) --id first --uses 9").code == 0)
    let present = try TapProgram.start([
      "present", "--link", "vpcd:127.0.0.1:\(pcscd.port)", "--wallet", folder, "--format", "json", "--timeout", "3600",
    ])
    #expect(present.wait(timeout: .seconds(300)) { $0.errors.contains("Waiting for a terminal") })
    let made = try run(change.command)
    #expect(made.code == 0, "\(made.errors)")
    let ended = try TapProgram.finish(present)
    #expect(try ended.errorCode() == change.code, "\(ended.output)\(ended.errors)")
    #expect(ended.code == change.exit)
    #expect(!ended.output.contains("cryptogram"))
    if let cards = change.cards {
      let list = try run("tap wallet list --wallet DIR")
      #expect(list.output.split(separator: "\n").count == cards, "\(list.output)\(list.errors)")
    }
  }
}
