import Glibc
import TestSupport
import Testing

/// Each prompt of `tap-wallet` with a bad entry.
@Suite("Bad entries at each prompt", .blocks, .timeLimit(.minutes(20)))
struct EntryTableTests {
  private static let overlong = [UInt8](repeating: UInt8(ascii: "1"), count: 2_000)
  private static let notText: [UInt8] = [0x31, 0xFF, 0xFE, 0x32]

  @Test(arguments: EntryRow.all)
  func `an overlong, undecodable, empty or interrupted entry has its own outcome at every prompt`(
    _ row: EntryRow
  ) throws {
    var folder = try EntryFolder(row)
    for place in row.entries.indices {
      let right = row.entries[..<place]
      let run = try folder.start(after: right)
      let asked = try #require(run.question(), "\(row), \(place): \(run.program.errors)")
      run.enter(Self.overlong)
      try Self.checkAskedAgain(run, asked, "An entry has at most 1024 bytes", "\(row), \(place)")
      run.enter(Self.notText)
      try Self.checkAskedAgain(run, asked, "The entry is not text in UTF-8", "\(row), \(place)")
      run.enter([])
      try Self.checkEmpty(run, asked, row, place)
      let ended = try folder.start(after: right)
      try #require(ended.question() != nil, "\(row), \(place): \(ended.program.errors)")
      ended.endInput()
      try Self.checkEnd(ended, row, isInterrupted: false)
    }
  }

  /// The entry is asked for again, or both entries of a new secret.
  private static func checkAskedAgain(_ run: TypedRun, _ question: String, _ reason: String, _ place: String) throws {
    let again = try #require(run.question(), "\(place): \(run.program.errors)")
    #expect(question.hasPrefix(again.prefix(7)), "\(place): \(again)")
    #expect(run.program.errors.contains(reason), "\(place): \(run.program.errors)")
  }

  /// An empty line is a command of `tap-wallet open` only. Everywhere else the entry is asked for again.
  private static func checkEmpty(_ run: TypedRun, _ question: String, _ row: EntryRow, _ place: Int) throws {
    let again = try #require(run.question(), "\(row), \(place): \(run.program.errors)")
    if !question.hasPrefix("wallet") { #expect(question.hasPrefix(again.prefix(7)), "\(row), \(place): \(again)") }
    run.program.signal(SIGINT)
    try checkEnd(run, row, isInterrupted: true)
  }

  /// Ctrl-C discards a line of `tap-wallet open`, which SIGTERM ends, and ends every other command.
  private static func checkEnd(_ run: TypedRun, _ row: EntryRow, isInterrupted: Bool) throws {
    if row.command == "open" { run.program.signal(SIGTERM) }
    let ending = try run.program.finish(timeout: .seconds(120))
    let errors = run.program.errors
    guard row.command != "open" else {
      return #expect([.exited(0), .exited(130)].contains(ending), "\(row): \(errors)")
    }
    #expect(ending == .exited(isInterrupted ? 130 : 2), "\(row): \(errors)")
    #expect(errors.contains("error: ") && !errors.contains("(Unknown)"), "\(row): \(errors)")
  }
}
