import Foundation
import Glibc
import TestSupport
import Testing

@testable import LinuxDevice

@Suite("The entry of a passcode on a terminal", .timeLimit(.minutes(60)), .blocks)
struct TerminalEntryTests {
  /// A terminal, and an entry on it.
  private final class Stage: Sendable {
    let terminal: PseudoTerminal
    let descriptor: Int32
    let entry: TerminalEntry

    init() throws {
      terminal = try PseudoTerminal()
      descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      entry = try #require(TerminalEntry(on: descriptor))
    }

    deinit { close(descriptor) }

    /// Types, and waits until the bytes have arrived: the kernel carries them on a thread of its own.
    func typeAhead(_ text: String) async throws {
      terminal.type(text)
      var count: Int32 = 0
      while count == 0 {
        try await Task.sleep(for: .milliseconds(1))
        _ = ioctl(descriptor, UInt(FIONREAD), &count)
      }
    }

    /// Opens the prompt and runs the person when it is there. Returns the line and all output.
    func line(echoes: Bool = false, _ person: @Sendable (PseudoTerminal) -> Void) async throws -> ([UInt8]?, String) {
      async let line = Task.detached { self.entry.line(after: "Password: ", echoes: echoes) }.value
      var output = ""
      while !output.contains("Password: ") {
        output += terminal.output()
        try await Task.sleep(for: .milliseconds(1))
      }
      person(terminal)
      return (await line, output + terminal.output())
    }
  }

  @Test func `a typed line is returned, and the terminal does not show it`() async throws {
    let stage = try Stage()
    try await stage.typeAhead("typed before the prompt\n")
    let (line, output) = try await stage.line { terminal in
      #expect(!terminal.echoes)
      terminal.type("sécret\n")
    }
    #expect(line == Array("sécret".utf8))
    #expect(!output.contains("cret"))
    #expect(stage.terminal.echoes)
    #expect(stage.entry.wasAnswered && !stage.entry.wasClosed)
  }

  @Test func `an empty line is an empty entry`() async throws {
    let stage = try Stage()
    #expect(try await stage.line { $0.type("\n") }.0 == [])
    #expect(stage.entry.wasAnswered)
  }

  @Test func `the end-of-file character closes the prompt`() async throws {
    let stage = try Stage()
    #expect(try await stage.line { $0.type("\u{4}") }.0 == nil)
    #expect(stage.entry.wasClosed && !stage.entry.wasAnswered)
    #expect(stage.terminal.echoes)
  }

  @Test func `a cancellation closes the prompt and restores the terminal`() async throws {
    let stage = try Stage()
    let entry = stage.entry
    #expect(try await stage.line { _ in entry.cancel() }.0 == nil)
    #expect(stage.entry.wasClosed)
    #expect(stage.terminal.echoes)
  }

  @Test func `a cancellation before the prompt closes it at once`() throws {
    let stage = try Stage()
    stage.entry.cancel()
    #expect(stage.entry.line(after: "Password: ", echoes: false) == nil)
  }

  @Test func `a terminal that is closed closes the prompt`() throws {
    var terminal: PseudoTerminal? = try PseudoTerminal()
    let descriptor = open(try #require(terminal).path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    defer { close(descriptor) }
    let entry = try #require(TerminalEntry(on: descriptor))
    terminal = nil
    #expect(entry.line(after: "Password: ", echoes: false) == nil)
  }

  @Test func `an entry is cut at the limit of PAM`() async throws {
    let stage = try Stage()
    let (line, _) = try await stage.line { $0.type(String(repeating: "x", count: 2000) + "\n") }
    #expect(line?.count == TerminalEntry.maximumCount - 1)
  }

  @Test func `a prompt cannot send control sequences to the terminal`() async throws {
    let stage = try Stage()
    stage.entry.write("Pay\u{1B}[2J \u{7}12\u{9B}0m €\n")
    var output = ""
    while !output.contains("€") { output += stage.terminal.output() }
    #expect(output.hasPrefix("Pay[2J 120m €"))
  }

  @Test func `a terminal whose output is stopped blocks no call, and the prompt ends when it is cancelled`()
    async throws
  {
    let stage = try Stage()
    let entry = stage.entry
    #expect(tcflow(stage.descriptor, TCOOFF) == 0)
    async let line = Task.detached { entry.line(after: "Password: ", echoes: false) }.value
    while stage.terminal.echoes { try await Task.sleep(for: .milliseconds(1)) }
    entry.cancel()
    #expect(await line == nil)
    #expect(stage.terminal.echoes)
    #expect(tcflow(stage.descriptor, TCOON) == 0)
  }

  @Test func `a text is shown when the terminal goes on`() async throws {
    let stage = try Stage()
    let entry = stage.entry
    #expect(tcflow(stage.descriptor, TCOOFF) == 0)
    async let line = Task.detached { entry.line(after: "Password: ", echoes: false) }.value
    while stage.terminal.echoes { try await Task.sleep(for: .milliseconds(1)) }
    #expect(tcflow(stage.descriptor, TCOON) == 0)
    stage.terminal.type("secret\n")
    #expect(await line == Array("secret".utf8))
    #expect(stage.terminal.echoes)
  }
}
