import Foundation
import TestSupport
import Testing

/// The program on a machine whose clock is not set. `faketime` gives it another date.
@Suite("Wrong clocks", .blocks, .timeLimit(.minutes(20)))
struct ClockTests {
  static let card = "loopback:\(TapProgram.card("visa-cvn18"))"
  static let commands = [
    ["accept", "--reader", card, "--amount", "1", "--currency", "978"],
    ["present", "--link", "loopback", "--card", TapProgram.card("visa-cvn18")], ["demo"],
  ]

  private func run(at date: String, _ arguments: [String]) throws -> TapProgram.Run {
    try TapProgram.finish(
      ProgramRun("faketime", [date + " UTC", TapProgram.path] + arguments, environment: ["TZ": "UTC"]))
  }

  @Test(arguments: ["1969-12-31 23:00:00", "2050-01-01 00:00:00", "2077-06-01 00:00:00"], commands)
  func `a clock outside 1970 to 2049 is an error that names it`(_ date: String, _ arguments: [String]) throws {
    let run = try run(at: date, arguments)
    #expect(run.code == 1, "\(run.output)\(run.errors)")
    #expect(run.errors.contains("the machine's clock shows \(date.prefix(10))"), "\(run.errors)")
    #expect(run.errors.contains("1970 to 2049"), "\(run.errors)")
  }

  @Test func `the last day before 2050 is a date for a payment`() throws {
    let run = try run(at: "2049-12-31 12:00:00", Self.commands[0])
    #expect(!run.errors.contains("clock"), "\(run.errors)")
  }
}
