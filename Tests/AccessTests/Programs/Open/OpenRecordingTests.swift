import Foundation
import Glibc
import TestSupport
import Testing

/// The recording of `tap-wallet open` in the article about server and wallet.
@Suite(.blocks, .timeLimit(.minutes(20))) struct OpenRecordingTests {
  /// What the person enters: the third seed to the login by finger, and the card and payment of the fourth.
  private static let entries = [
    "enrol --name Phone", "Alice", "Example", WalletPrograms.user, "+41 44 123 45 67", "Abcdefgh1", "Abcdefgh1", "7413",
    "7413", "pet", "town", "Rex", "Bern", "cards add", "pay --link loopback --amount 12.34 --currency EUR",
    "biometric on", "7413", "biometric prefer", "timeout 120", "logout", "login", "prompt", "history", "change-pin",
    "7413", "8520", "8520", "unlink", "quit",
  ]

  @Test func `the recording in the article is what the programs print`() throws {
    let programs = try WalletPrograms(try OpenWalletTests.issuer())
    let printed = try Self.play(programs)
    let article = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../Sources/Contactless.docc/ServerAndWallet.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let block = text.split(separator: "```text\n", maxSplits: 1).last?.split(separator: "```", maxSplits: 1).first
    #expect(block.map(String.init) == "$ tap-wallet open --state phone $ACCESS\n" + printed, "\(printed)")
  }

  /// Enters everything at a terminal, and returns what it shows.
  private static func play(_ programs: WalletPrograms) throws -> String {
    let terminal = try PseudoTerminal()
    let descriptor = try terminal.opened()
    defer { close(descriptor) }
    let run = try ProgramRun(
      AccessPrograms.path("tap-wallet"),
      ["open", "--state", programs.state, "--server", programs.url, "--ca", programs.authority],
      environment: ["TERM": "dumb"], descriptors: [0: descriptor, 1: descriptor, 2: descriptor])
    var shown = ""
    for entry in entries {
      var new = ""
      let isAsked = run.wait(timeout: .seconds(120)) { _ in
        new += terminal.output()
        return [": ", "? ", "> "].contains { new.hasSuffix($0) }
      }
      shown += new
      try #require(isAsked, "\(entry): \(shown)")
      terminal.type(entry + "\n")
    }
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(shown)")
    return stable(shown + terminal.output())
  }

  /// The text without the control characters of the terminal. Each identifier, moment and address has one fixed value.
  private static func stable(_ text: String) -> String {
    let shown = text.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
    // CR and LF are one Character.
    return String(String.UnicodeScalarView(shown.unicodeScalars.filter { $0 != "\r" }))
      .replacing(/\b[A-Za-z0-9_-]{22}\b/, with: "kX3vT0mQ2cYh8rNw5bLz1A")
      .replacing(/\d{4}-\d\d-\d\d( |T)\d\d:\d\d(:\d\d)?/, with: "2026-11-25 18:00:00")
      .replacing(/https:\/\/127\.0\.0\.1:\d+/, with: "https://127.0.0.1:9443")
  }
}
