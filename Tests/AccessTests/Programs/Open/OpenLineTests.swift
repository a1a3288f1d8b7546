import Foundation
import Glibc
import TestSupport
import Testing

/// The line on which a person enters the commands of `tap-wallet open` at a terminal, in text.
@Suite(.blocks, .timeLimit(.minutes(20))) final class OpenLineTests {
  private let programs: WalletPrograms
  private let terminal: PseudoTerminal
  private let descriptor: Int32
  private let run: ProgramRun
  private var shown = ""

  init() throws {
    programs = try WalletPrograms()
    try #require(programs.enrol().code == 0)
    terminal = try PseudoTerminal()
    descriptor = try terminal.opened()
    run = try ProgramRun(
      AccessPrograms.path("tap-wallet"), ["open", "--state", programs.state],
      descriptors: [0: descriptor, 1: descriptor])
    try #require(shows("wallet> "), "\(shown)\(run.errors)")
  }

  deinit { close(descriptor) }

  /// Waits until the terminal shows a text behind what it has shown before.
  private func shows(_ text: String) -> Bool {
    var new = ""
    let isShown = run.wait(timeout: .seconds(60)) { _ in
      new += terminal.output()
      return new.contains(text)
    }
    shown += new
    return isShown
  }

  /// Types a text and waits for what the wallet prints, and for the next prompt.
  private func enter(_ text: String, _ result: String) throws {
    terminal.type(text)
    var new = ""
    let isDone = run.wait(timeout: .seconds(60)) { _ in
      new += terminal.output()
      return new.contains(result) && new.hasSuffix("wallet> ")
    }
    shown += new
    try #require(isDone, "\(shown)\(run.errors)")
  }

  private func quit() throws {
    terminal.type("quit\n")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(shown)\(run.errors)")
  }

  @Test func `a line is edited, repeated from the history and completed by the tab key`() throws {
    // Ctrl-A goes to the beginning of the line.
    try enter("istory\u{1}h\n", "payments: 0")
    // The arrow up.
    try enter("\u{1B}[A\n", "payments: 0")
    try enter("hist\t\n", "payments: 0")
    try enter("biometric st\t\n", "biometric login is off")
    try quit()
    #expect(terminal.echoes)
  }

  @Test func `Ctrl-C discards the line that is edited, and Ctrl-D closes the wallet`() throws {
    terminal.type("log")
    #expect(shows("log"))
    run.signal(SIGINT)
    #expect(shows("wallet> "), "\(shown)")
    try enter("history\n", "payments: 0")
    terminal.type("\u{4}")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(shown)\(run.errors)")
    #expect(shows("The wallet is closed."), "\(shown)")
    #expect(terminal.echoes)
  }

  @Test func `the background leaves the terminal as it was`() throws {
    terminal.type("hist")
    #expect(shows("hist"))
    run.signal(SIGTSTP)
    #expect(run.wait(timeout: .seconds(60)) { OpenWalletTests.isStopped($0.identifier) }, "\(shown)")
    #expect(terminal.echoes)
    run.signal(SIGCONT)
    #expect(shows("wallet> "), "\(shown)")
    try enter("history\n", "payments: 0")
    try quit()
  }

  @Test func `a secret is entered without an echo and without the history`() throws {
    try enter("logout\n", "Log in by PIN.")
    terminal.type("login\n")
    #expect(run.wait(timeout: .seconds(60)) { $0.errors.hasSuffix("PIN of the wallet: ") }, "\(run.errors)")
    #expect(!terminal.echoes)
    try enter("7413\n", "You are logged in.")
    try enter("\u{1B}[A\n", "login")
    #expect(run.errors.contains("login is not possible now"), "\(run.errors)")
    #expect(!shown.contains("7413"), "\(shown)")
    try quit()
  }
}
