import Fixtures
import Foundation
import Octets
import PaymentSupport
import TestSupport
import Testing

/// `tap present` is stopped with an armed card, another process withdraws what the card needs, and a command waits when it
/// goes on.
@Suite("A stopped payment and a withdrawal", .blocks, .serialized, .timeLimit(.minutes(60)))
struct StoppedPaymentTests {
  /// A change by another process. DIR is the folder of the wallet.
  struct Change: CustomTestStringConvertible {
    let command: String
    /// Whether the card finds the change by a reading, and not by the withdrawal itself.
    let isRead: Bool
    /// The exit codes of `tap present` when the change comes between two commands.
    let exits: Set<Int32>

    var testDescription: String { command }
  }

  static let changes = [
    Change(command: "tap wallet suspend --wallet DIR first", isRead: false, exits: [2]),
    Change(command: "tap wallet retire --wallet DIR first", isRead: false, exits: [2]),
    Change(command: "tap wallet delete --wallet DIR first", isRead: false, exits: [2]),
    Change(command: "tap wallet reset --wallet DIR", isRead: false, exits: [2]),
    Change(command: "truncate --size 0 DIR/wallet.withdrawals", isRead: false, exits: [2]),
    Change(command: "rm -r DIR", isRead: true, exits: [2]),
    Change(command: "rm DIR/wallet.withdrawals", isRead: true, exits: [2]),
    Change(command: "tap device simulate --device DIR/device --passcode off", isRead: true, exits: [2]),
    Change(command: "tap device simulate --device DIR/device --biometric remove-all", isRead: true, exits: [2]),
  ]

  private static let tap = CardTap.shipped.first { $0.card == "visa-cvn18" }.map(\.commands) ?? []

  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// `tap present` with an armed card that a terminal has selected.
  private struct Payment {
    let card: PresentedCard
    let folder: String

    /// Stops the process between two transactions of its store: one within a transaction keeps the store locked.
    func stop() throws {
      while true {
        suspend()
        let script = """
          import sqlite3, sys
          store = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
          store.execute("BEGIN EXCLUSIVE")
          """
        let lock = try ProgramRun("/usr/bin/python3", ["-c", script, folder + "/wallet.sqlite"])
        if try lock.finish() == .exited(0) { return }
        try #require(lock.errors.contains("locked"), "\(lock.errors)")
        card.program.signal(SIGCONT)
        usleep(5_000)
      }
    }

    /// Stops the process. Returns when none of its threads runs.
    private func suspend() {
      card.program.signal(SIGSTOP)
      while true {
        let state = try? String(contentsOfFile: "/proc/\(card.program.identifier)/stat", encoding: .utf8)
        if state?.split(separator: ")").last?.hasPrefix(" T") ?? true { return }
        usleep(200)
      }
    }

    /// Makes a change.
    func make(_ change: Change) throws -> TapProgram.Run {
      let words = change.command.replacing("DIR", with: folder).split(separator: " ").map(String.init)
      if words[0] == "tap" { return try TapProgram.finish(TapProgram.start(Array(words.dropFirst()))) }
      return try TapProgram.finish(ProgramRun(words[0], Array(words.dropFirst())))
    }
  }

  private func payment(_ name: String) throws -> Payment {
    let folder = scratch.path(name)
    for id in ["first", "second"] {
      let profile = TapProgram.card("visa-cvn18")
      let added = try TapProgram.run("wallet", "add", "--wallet", folder, "--card", profile, "--id", id, "--uses", "9")
      #expect(added.code == 0, "\(added.errors)")
    }
    let card = try PresentedCard(wallet: folder)
    for command in Self.tap.prefix(2) { #expect(try card.send(command)?.suffix(2) == [0x90, 0x00]) }
    return Payment(card: card, folder: folder)
  }

  private static func isCryptogram(_ response: [UInt8]?) -> Bool {
    CardTap.cryptograms(in: [response?.hex ?? ""]).count == 1
  }

  @Test(arguments: changes)
  func `a card whose process was stopped during a withdrawal gives no cryptogram afterwards`(_ change: Change) throws {
    let payment = try payment("wallet")
    try payment.stop()
    let made = try payment.make(change)
    #expect(made.code == 0, "\(made.errors)")
    // A reading of before the change is too old then.
    if change.isRead { usleep(150_000) }
    payment.card.reader.send(try [UInt8](hex: Self.tap[2]))
    payment.card.program.signal(SIGCONT)
    #expect(!Self.isCryptogram(payment.card.reader.receive()))
    let ended = try TapProgram.finish(payment.card.program)
    #expect(change.exits.contains(ended.code), "\(ended.output)\(ended.errors)")
    #expect(!ended.output.contains("cryptogram"))
  }

  @Test(arguments: ["true", "tap wallet suspend --wallet DIR second", "tap wallet default --wallet DIR second"])
  func `a card whose process was stopped for long pays after a change of nothing that it needs`(_ command: String)
    throws
  {
    let payment = try payment("wallet")
    try payment.stop()
    let made = try payment.make(Change(command: command, isRead: false, exits: []))
    #expect(made.code == 0, "\(made.errors)")
    usleep(300_000)
    payment.card.reader.send(try [UInt8](hex: Self.tap[2]))
    payment.card.program.signal(SIGCONT)
    #expect(Self.isCryptogram(payment.card.reader.receive()))
    payment.card.program.signal(SIGINT)
    _ = payment.card.program.wait(timeout: .seconds(60))
  }

  @Test func `no cryptogram leaves after a withdrawal that was acknowledged, whenever the process was stopped`() throws
  {
    let random = SeededRandomSource(seed: 47)
    var (given, withheld, warned, locked) = (0, 0, 0, 0)
    for round in 0..<(Soak.isOn ? 1000 : 30) {
      let change = Self.changes[round % 4]
      let payment = try payment("wallet-\(round)")
      payment.card.reader.send(try [UInt8](hex: Self.tap[2]))
      usleep(random.octets(2).reduce(0) { $0 << 8 | UInt32($1) } % 1500)
      try payment.stop()
      // A response that has left before the change is none of it.
      if payment.card.reader.isReadable {
        given += 1
      } else {
        let made = try payment.make(change)
        payment.card.program.signal(SIGCONT)
        let isCryptogram = Self.isCryptogram(payment.card.reader.receive())
        if made.code == 2 {
          warned += 1
          #expect(made.errors.contains("process \(payment.card.program.identifier) "), "\(made.errors)")
        } else if made.code == 1 {
          // The process was stopped within a transaction: nothing was stored, and nothing acknowledged.
          locked += 1
          #expect(made.errors.contains("has locked the wallet store"), "\(made.errors)")
        } else {
          withheld += 1
          #expect(made.code == 0, "\(made.errors)")
          #expect(!isCryptogram, "round \(round), \(change.command)")
        }
      }
      payment.card.program.signal(SIGKILL)
      _ = payment.card.program.wait(timeout: .seconds(60))
    }
    #expect(given + withheld + warned + locked == (Soak.isOn ? 1000 : 30))
    print(
      "stopped at random moments: \(given) had answered, \(withheld) gave nothing, \(warned) were reported, \(locked) failed"
    )
  }
}
