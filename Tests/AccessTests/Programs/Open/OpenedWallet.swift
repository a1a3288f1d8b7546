import Foundation
import Glibc
import TestSupport
import Testing

/// `tap-wallet open` at a terminal, which prints JSON.
final class OpenedWallet {
  let run: ProgramRun
  private let terminal: PseudoTerminal
  private let descriptor: Int32

  /// Opens the wallet, and waits for the prompt of the first command.
  init(_ programs: WalletPrograms, trace: String? = nil) throws {
    terminal = try PseudoTerminal()
    descriptor = try terminal.opened()
    run =
      if let trace {
        try programs.startOpen("--trace", trace, terminal: descriptor)
      } else {
        try programs.startOpen(terminal: descriptor)
      }
    try #require(run.wait(timeout: .seconds(60)) { Self.prompts(of: $0) == 1 }, "\(run.output)\(run.errors)")
  }

  deinit { close(descriptor) }

  private static func prompts(of run: ProgramRun) -> Int {
    run.output.components(separatedBy: #""name": "action""#).count - 1
  }

  /// Types a line.
  func type(_ line: String) { terminal.type(line + "\n") }

  /// Does something, and waits until the wallet asks for the next command.
  func untilNextPrompt(_ body: () throws -> Void) throws {
    let before = Self.prompts(of: run)
    try body()
    try #require(run.wait(timeout: .seconds(60)) { Self.prompts(of: $0) > before }, "\(run.output)\(run.errors)")
  }

  /// Closes the wallet.
  func quit() throws {
    type("quit")
    #expect(try run.finish(timeout: .seconds(120)) == .exited(0), "\(run.output)\(run.errors)")
  }
}

/// A reader that gives the card no command: it prints its port, and when a card is there and gone.
struct SilentReader {
  let run: ProgramRun
  let link: String

  private static let script = """
    import socket
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
      connection, _ = listener.accept()
      print("connected", flush=True)
      while connection.recv(1024): pass
      print("closed", flush=True)
    """

  init() throws {
    let run = try ProgramRun("/usr/bin/python3", ["-c", Self.script])
    try #require(run.wait(timeout: .seconds(60)) { $0.output.contains("\n") }, "\(run.errors)")
    self.run = run
    link = "vpcd:127.0.0.1:" + String(try #require(run.output.split(separator: "\n").first))
  }

  /// Waits until cards were there and gone.
  ///
  /// - Parameter events: `connected` and `closed`, in their order.
  func waits(for events: String...) -> Bool {
    run.wait(timeout: .seconds(60)) { Array($0.output.split(separator: "\n").dropFirst().map(String.init)) == events }
  }
}
