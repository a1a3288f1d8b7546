import Foundation
import GRDB
import Octets
import TestSupport
import Testing

/// `access-exercise` goes through every operation of a server. It is killed before one of its statements, and the database must
/// then be in the state before or after a transaction of a step, never in between. With CONTACTLESS_SOAK each statement has its
/// turn, otherwise one in 27.
@Suite("A server's database whose process is killed", .blocks, .timeLimit(.minutes(20)))
struct KilledStoreTests {
  static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "access-exercise").path

  /// The transactions of a run, each with its step and the state after it.
  static func states(_ output: String) -> [(step: String, state: String)] {
    output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  /// How many statements a run had that came to its end.
  static func count(_ output: String) -> Int? {
    output.split(separator: "\n").last?.split(separator: " ").last.flatMap { Int($0) }
  }

  static func run(_ path: String, account: String = "alice", _ further: String...) throws -> ProgramRun {
    try ProgramRun(program, ["--database", path, "--account", account] + further)
  }

  /// The statements are divided among tests that run at the same time.
  static let lanes = 4

  @Test(arguments: 0..<lanes)
  func `a process that is killed before any statement leaves whole operations, and the next one goes on`(
    _ lane: Int
  ) throws {
    let scratch = try Scratch()
    let whole = try Self.run(scratch.path("whole.sqlite"))
    try #require(try whole.finish() == .exited(0), "\(whole.errors)")
    let expected = Self.states(whole.output)
    let count = try #require(Self.count(whole.output))
    #expect(count > 100 && expected.count == 46, "\(expected.map(\.step))")
    for number in stride(from: 1 + lane, through: count, by: Self.lanes) where Soak.isOn || number % 27 == 0 {
      let path = scratch.path("killed-\(number).sqlite")
      let killed = try Self.run(path, "--kill-at", "\(number)")
      let ending = try killed.finish()
      // A slow run has one statement more, which depends on the time.
      if ending == .exited(0), let fewer = Self.count(killed.output), fewer < number, number > count - 2 { continue }
      try #require(ending == .killed(signal: SIGKILL), "statement \(number): \(ending) \(killed.errors)")
      let done = Self.states(killed.output)
      #expect(done.elementsEqual(expected.prefix(done.count)) { $0 == $1 }, "statement \(number)")
      // The next process opens the database; one in ten goes through all operations of another account too.
      let next = try Self.run(path, account: "bobby", number % 10 == 0 ? "--kill-at=0" : "--only-open")
      #expect(try next.finish() == .exited(0), "statement \(number): \(next.errors)")
      let found = try #require(Self.states(next.output).first).state
      let possible = expected[max(done.count - 1, 0)...min(done.count, expected.count - 1)].map(\.state)
      #expect(possible.contains(found), "statement \(number), after \(done.last?.step ?? "nothing"): \(found)")
    }
  }
}
