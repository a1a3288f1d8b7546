import Foundation
import Glibc
import TestSupport
import Testing

/// A command of `tap-wallet` at a terminal, with a test in place of the person.
final class TypedRun {
  let program: ProgramRun
  private let terminal: PseudoTerminal
  private let descriptor: Int32
  /// What standard error had when the last entry was typed.
  private var answered = 0

  init(_ command: [String], state: String) throws {
    terminal = try PseudoTerminal()
    descriptor = try terminal.opened()
    program = try ProgramRun(
      AccessPrograms.path("tap-wallet"), command + ["--state", state], descriptors: [0: descriptor])
  }

  deinit { close(descriptor) }

  /// Waits for the next question.
  ///
  /// - Returns: The question; nil when the command has ended.
  func question() -> String? {
    let isAsked = program.wait(timeout: .seconds(120)) { run in
      let errors = run.errors
      return errors.utf8.count > answered && [": ", "? ", "> "].contains { errors.hasSuffix($0) }
    }
    guard isAsked, program.poll() == nil else { return nil }
    let asked = program.errors.utf8.dropFirst(answered)
    return String(asked)?.split(separator: "\n").last.map(String.init)
  }

  /// Types an entry.
  func enter(_ octets: [UInt8]) {
    answered = program.errors.utf8.count
    terminal.type(octets + [UInt8(ascii: "\n")])
  }

  /// Types Ctrl-D.
  func endInput() { terminal.type([4]) }
}
