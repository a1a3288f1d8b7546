import CardExploration
import Foundation
import Links
import Octets
import Synchronization
import TestSupport
import Testing
import Transcripts
import POSIX

/// A shell with lines of a test, at a recorded card.
@Suite("The shell at a card")
struct ShellVisitorTests {
  /// Gives lines and keeps what is printed.
  private final class Lines: ShellConsole {
    struct State {
      var left: [String]
      var printed: [String] = []
      var mistakes: [String] = []
      var remembered: [String] = []
    }

    let isInteractive = false
    private let state: Mutex<State>

    init(_ lines: [String]) { state = Mutex(State(left: lines.reversed())) }

    var now: State { state.withLock { $0 } }

    func next() -> String? { state.withLock { $0.left.popLast() } }
    func remember(_ line: String) { state.withLock { $0.remembered.append(line) } }
    func print(_ line: String) { state.withLock { $0.printed.append(line) } }
    func note(_ text: String) {}
    func report(_ mistake: String) { state.withLock { $0.mistakes.append(mistake) } }
  }

  private struct Count: ExchangeObserver {
    func observe(_ cause: CardExchanges.Cause, of recording: Recording) {}
  }

  private static let card = """
    # ATR: 3B80800101
    # PROTOCOL: T=CL
    00A4040007A000000003101000
    9000
    00B2010C00
    6A83

    """

  private func visit(
    _ lines: [String], record path: String? = nil, check: @escaping @Sendable ([UInt8]) throws -> Void = { _ in }
  ) throws -> (visitor: ShellVisitor<Lines, Count>, console: Lines.State) {
    let console = Lines(lines)
    let recorder = ShellRecorder(path, isForced: false, Disclosure(showsAll: false, testCards: []))
    var visitor = ShellVisitor(
      console, ShellCompletions(), observer: Count(), recorder: recorder, isUnmasked: false, check: check)
    var channel = ReplayChannel(try Transcript(parsing: Self.card))
    visitor.visit(&channel)
    return (visitor, console.now)
  }

  @Test func `commands are sent until the lines end, and an error status is kept`() throws {
    let right = try visit(["00A4040007A000000003101000"])
    #expect(!right.visitor.hasErrorStatus && !right.visitor.hasMistake)
    let wrong = try visit(["00A4040007A000000003101000", "00B2010C00"])
    #expect(wrong.visitor.hasErrorStatus && !wrong.visitor.hasMistake)
    guard case .quit = wrong.visitor.ending else { return #expect(Bool(false), "\(wrong.visitor.ending)") }
  }

  @Test func `a wrong line is reported, and the next one is taken`() throws {
    let (visitor, console) = try visit(["nonsense", "00A4040007A000000003101000", "card"])
    #expect(visitor.hasMistake && !visitor.hasErrorStatus)
    #expect(console.mistakes.count == 1 && console.mistakes[0].contains("nonsense"))
    #expect(console.printed.first?.contains("ATR 3B80800101") == true, "\(console.printed)")
    #expect(console.remembered == ["00A4040007A000000003101000", "card"])
  }

  @Test(arguments: [("quit", "quit"), ("reset", "reset"), ("00B2020C00", "failed")])
  func `the card is left for a reason, and further lines stay`(line: String, reason: String) throws {
    let (visitor, console) = try visit([line, "never"])
    #expect("\(visitor.ending)".hasPrefix(reason), "\(visitor.ending)")
    #expect(console.left == ["never"])
  }

  @Test func `a command that the reader does not take is a mistake and is not sent`() throws {
    let refusal = FileError(description: "not here")
    let (visitor, console) = try visit(["FFCA000000", "00A4040007A000000003101000"]) { command in
      if command.first == 0xFF { throw refusal }
    }
    #expect(visitor.hasMistake && console.mistakes == ["not here"])
    #expect(!visitor.hasErrorStatus)
  }

  @Test func `record writes the exchanges so far, and record off keeps what follows out`() throws {
    let scratch = try Scratch()
    let path = scratch.path("shell.txt")
    let select = "00A4040007A000000003101000"
    let (visitor, console) = try visit([select, "record \(path)", "record off", "00B2010C00", "record off"])
    let recorded = try Transcript(parsing: String(contentsOfFile: path, encoding: .utf8))
    #expect(recorded.exchanges.map(\.command.hex) == [select])
    #expect(console.mistakes == ["record off: nothing is recorded; record FILE begins"])
    #expect(visitor.hasErrorStatus)
  }

  @Test func `a recording file that exists is refused by record`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("kept", "mine")
    let (_, console) = try visit(["record \(path)"])
    #expect(console.mistakes == ["\(path) exists: --force writes over it"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }
}
