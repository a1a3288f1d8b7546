import Foundation
import JSON
import Links
import Synchronization
import TapScenarios

/// A command that sees what a terminal shows, in place of a person: it is started before a tap and prints
/// `{"shown": "approved"}` at its end.
struct ObservationCommand: Sendable {
  let text: String

  /// Starts the command with `TAP_AMOUNT` and `TAP_CURRENCY` in its environment.
  ///
  /// - Throws: `InputError` when the command cannot be started.
  func start(amount: String, currency: String) throws -> Observer {
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
    return Observer(process, output.fileHandleForReading)
  }

  /// Reads the last line that is not empty: `{"shown": "see phone"}`; nil for anything else.
  static func shown(in octets: [UInt8]) -> TerminalExpectations.Shown? {
    guard let line = octets.split(separator: 0x0A).last(where: { !$0.isEmpty }) else { return nil }
    return (try? JSONValue(parsing: Array(line)))?["shown"]?.text.flatMap { TerminalExpectations.Shown(rawValue: $0) }
  }
}

/// The process of a command that sees what a terminal shows.
final class Observer: Sendable {
  /// How long a command may go on after its tap.
  private static let limit = Duration.seconds(60)
  /// The most bytes that a command may print.
  private static let maximumCount = 65_536
  /// The process that runs now: an interruption ends it.
  private static let current = Mutex<Observer?>(nil)

  private let process: Process
  private let reading: DedicatedThread<[UInt8]?, Never>

  fileprivate init(_ process: Process, _ file: FileHandle) {
    self.process = process
    reading = DedicatedThread(named: "observer") {
      var octets: [UInt8] = []
      while let next = try? file.read(upToCount: Self.maximumCount), !next.isEmpty {
        octets += next
        if octets.count > Self.maximumCount { return nil }
      }
      return octets
    }
    Self.current.withLock { $0 = self }
  }

  /// Waits for the end of the command, 60 s at most, ends it otherwise, and returns what it saw; nil for anything else
  /// than the names of `TerminalExpectations.Shown`, and for more than 65,536 bytes.
  func shown() -> TerminalExpectations.Shown? {
    let printed = reading.join(timeout: Self.limit) ?? nil
    end()
    return printed.flatMap { ObservationCommand.shown(in: $0) }
  }

  /// Ends the command and the processes that it has started.
  func end() {
    Self.current.withLock { if $0 === self { $0 = nil } }
    // A process that Foundation starts leads a group of its own.
    kill(-process.processIdentifier, SIGKILL)
  }

  /// Ends the command that runs now.
  static func endCurrent() { current.withLock(\.self)?.end() }
}
