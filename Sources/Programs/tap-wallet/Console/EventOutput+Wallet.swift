import Octets
import ProgramSupport

extension EventOutput {
  /// The output of a wallet's command. An operation goes on when its output is lost.
  static func ofWallet(_ format: OutputFormat) -> EventOutput { EventOutput(format, goesOn: true) }

  /// Prints the last line of a command that is not done: for programs, or for people on standard error.
  func notDone(_ operation: String, _ failure: CommandFailure) {
    failed(operation, failure)
    if format == .text { Console.note("error: \(failure.message.visible()) (\(failure.code))") }
  }
}
