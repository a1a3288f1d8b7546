import Foundation
import JSON
import Links
import ProgramSupport
import TapScenarios

/// What a person, or a program in place of a person, sees on a terminal at the end of a tap.
enum Observation {
  /// A command that is started before a tap and prints `{"shown": "approved"}` at its end.
  struct Command: Sendable {
    let text: String

    /// Starts the command with `TAP_AMOUNT` and `TAP_CURRENCY` in its environment.
    ///
    /// - Returns: A function that waits for the end of the command, 60 s at most, and returns what it saw; nil for
    ///   anything else than the names of `TerminalExpectations.Shown`.
    /// - Throws: `InputError` when the command cannot be started.
    func start(amount: String, currency: String) throws -> @Sendable () -> TerminalExpectations.Shown? {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", text]
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["TAP_AMOUNT": amount, "TAP_CURRENCY": currency]
      ) { $1 }
      let output = Pipe()
      (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, output)
      do {
        try process.run()
      } catch { throw InputError(description: "--observe: /bin/sh cannot be started") }
      let file = output.fileHandleForReading
      let reading = DedicatedThread(named: "observer") { (try? file.readToEnd()) ?? Data() }
      return {
        if let printed = reading.join(timeout: Self.limit) { return Self.shown(in: Array(printed)) }
        process.terminate()
        return nil
      }
    }

    /// Reads the last line that is not empty: `{"shown": "see phone"}`; nil for anything else.
    static func shown(in octets: [UInt8]) -> TerminalExpectations.Shown? {
      guard let line = octets.split(separator: 0x0A).last(where: { !$0.isEmpty }) else { return nil }
      return (try? JSONValue(parsing: Array(line)))?["shown"]?.text.flatMap { TerminalExpectations.Shown(rawValue: $0) }
    }

    /// How long a command may go on after its tap.
    private static let limit = Duration.seconds(60)
  }

  /// Asks the person at the terminal. Nil for an empty line, the end of the input and every other answer.
  static func ask() -> TerminalExpectations.Shown? {
    Console.note(
      "What did the terminal show? a approved, d declined, p see phone, o other card, Enter nothing of these:")
    switch readLine()?.lowercased() {
    case "a": return .approved
    case "d": return .declined
    case "p": return .seePhone
    case "o": return .otherCard
    default: return nil
    }
  }
}
