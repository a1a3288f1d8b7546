import Fixtures
import Foundation
import TestSupport
import Testing

/// Signals while a command waits: each ends soon, as it is documented, and says before what it waits for.
@Suite("Signals", .blocks, .serialized, .timeLimit(.minutes(20)))
struct SignalTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A command at a reader without a card, what it prints on either stream when it waits, and the exit code at SIGINT
  /// and SIGTERM; nil when the signal itself ends it.
  static let waits: [(line: String, hint: String, code: Int32?)] = [
    ("accept --reader READER --amount 1 --currency EUR", "Waiting for a card at ", nil),
    ("send --reader READER 00A4040000", "Waiting for a card at ", nil),
    ("dump --reader READER", "Waiting for a card at ", nil), ("shell --reader READER", "Waiting for a card at ", nil),
    ("bench --reader READER", "Waiting for a card at ", nil),
    ("test \(ScenarioTests.file("visa-low-value.yaml")) --reader READER", "Waiting for a card at ", 130),
    ("present --link vpcd:127.0.0.1:PORT --card \(TapProgram.card("visa-cvn18"))", "Waiting for a terminal, 60 s", nil),
    ("readers --watch", "Watching readers and cards; Ctrl-C ends", 0),
    ("lab pn532 --pace none", "A PN532: ", 0), ("lab pair --pace none", "Two PN532 in one field: ", 0),
    ("lab pcsc", "A PC/SC reader: ", 0),
  ]

  @Test(arguments: waits.indices, [SIGINT, SIGTERM, SIGHUP])
  func `a command that waits names what for, and a signal ends it at once`(_ row: Int, _ signal: Int32) throws {
    let (line, hint, code) = Self.waits[row]
    let pcscd = try IsolatedPCSCD()
    let arguments = line.split(separator: " ").map { word in
      switch word {
      case "READER": "pcsc:\(pcscd.readerNames[0])"
      default: word.replacingOccurrences(of: "PORT", with: "\(pcscd.port)")
      }
    }
    let run = try TapProgram.start(arguments, environment: pcscd.environment)
    let isWaiting = run.wait(timeout: .seconds(120)) { $0.errors.contains(hint) || $0.output.contains(hint) }
    #expect(isWaiting, "\(run.output)\(run.errors)")
    run.signal(signal)
    let ending = try run.finish(timeout: .seconds(60))
    // Nothing is kept in order for a terminal that was closed.
    let expected: ProgramRun.Ending =
      signal == SIGHUP ? .killed(signal: SIGHUP) : code.map { .exited($0) } ?? .killed(signal: signal)
    #expect(ending == expected, "\(run.output)\(run.errors)")
    for word in ["Crash", "Fatal", "Backtrace"] { #expect(!run.errors.contains(word), "\(run.errors)") }
  }

  /// Commands with the shortest time limit at a place where nothing comes.
  static let limits: [(line: String, code: Int32, message: String)] = [
    ("accept --reader READER --amount 1 --currency EUR --timeout 1", 3, "no card came"),
    ("send --reader READER 00A4040000 --timeout 1", 3, "no card came"),
    ("dump --reader READER --timeout 1", 3, "no card came"),
    ("shell --reader READER --timeout 1", 3, "no card came"), ("bench --reader READER --timeout 1", 3, "no card came"),
    (
      "present --link vpcd:127.0.0.1:PORT --card \(TapProgram.card("visa-cvn18")) --timeout 1", 3,
      "no terminal completed"
    ),
    (
      "present --link vpcd:127.0.0.1:PORT --card \(TapProgram.card("visa-cvn18")) --unarmed --timeout 1", 3,
      "the link ended"
    ),
    ("readers --watch --timeout 1", 0, ""), ("lab pn532 --pace none --timeout 1", 0, ""),
    ("lab pcsc --timeout 1", 0, ""),
    ("lab pn532 --card \(TapProgram.card("visa-cvn18")) --timeout 1", 0, ""),
  ]

  @Test(arguments: limits.indices)
  func `--timeout ends every command that waits`(_ row: Int) throws {
    let (line, code, message) = Self.limits[row]
    let pcscd = try IsolatedPCSCD()
    let arguments = line.split(separator: " ").map { word in
      switch word {
      case "READER": "pcsc:\(pcscd.readerNames[0])"
      default: word.replacingOccurrences(of: "PORT", with: "\(pcscd.port)")
      }
    }
    let run = try TapProgram.start(arguments, environment: pcscd.environment)
    #expect(try run.finish(timeout: .seconds(50)) == .exited(code), "\(run.output)\(run.errors)")
    #expect(message.isEmpty || (run.output + run.errors).contains(message), "\(run.output)\(run.errors)")
  }
}
