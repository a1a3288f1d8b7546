import ArgumentParser
import ProgramSupport

/// How much a command prints of its exchanges. JSON stays the same.
struct Verbosity: ParsableArguments {
  @Flag(
    name: .shortAndLong,
    help: "Show the bytes of the exchanges and their meaning; of a tap that failed those that the failure names.")
  var verbose = false
  @Flag(
    name: .shortAndLong,
    help:
      "Print results only: of one payment the outcome; of several taps or recordings those that failed, and the sums.")
  var quiet = false

  func validate() throws {
    try require(!(verbose && quiet), "--verbose and --quiet exclude each other.")
  }
}

/// The time after which a command ends that would run until Ctrl-C.
struct RunLimit: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "End after this time, in seconds: 1 to 86400; only at Ctrl-C when left out.", valueName: "seconds"))
  var timeout: Int?

  func validate() throws {
    try require("--timeout", timeout, in: 1...86_400)
  }

  /// Calls a function at Ctrl-C, and when the time is over.
  ///
  /// - Returns: What the command calls when it ends before.
  func start(_ end: @escaping @Sendable () -> Void) -> () -> Void {
    let interrupt = Interrupt { _, _ in end() }
    let limit = timeout.map { seconds in
      Task {
        // Cancelled: the command has ended.
        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
        end()
      }
    }
    return {
      limit?.cancel()
      interrupt.end()
    }
  }
}

extension ParsableArguments {
  /// - Throws: Wrong usage with this message, unless the condition holds.
  func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw ValidationError(message()) }
  }

  /// - Throws: Wrong usage when the value of an option is outside of its range. Nil, for an option that was left out, is
  ///   allowed.
  func require<Value>(_ option: String, _ value: Value?, in range: ClosedRange<Value>) throws {
    guard let value, !range.contains(value) else { return }
    throw ValidationError("\(option) \(value): the range is \(range).")
  }
}
