import ISO7816
import Octets
import POSIX
import ProgramSupport

/// Why a program of `--responder` does not answer as a card.
enum ResponderError: ExitError, Equatable, CustomStringConvertible {
  /// The program was not started.
  case notStarted(String, SystemError)
  /// It has ended.
  case ended(commandNumber: Int)
  /// It has closed its standard input, and has not ended.
  case closedInput(commandNumber: Int)
  /// It has closed its standard output, and has not ended.
  case closedOutput(commandNumber: Int)
  /// It has not answered within the limit, or has not read the command.
  case late(commandNumber: Int, Duration)
  /// A line is longer than any response.
  case tooLong(commandNumber: Int)
  /// A line is not hexadecimal.
  case notHexadecimal(commandNumber: Int, OctetsError)
  /// A response has no status word, or does not fit the link.
  case wrongSize(commandNumber: Int, count: Int, limit: Int)
  /// It has written a line before the command came to which it would belong.
  case unasked(commandNumber: Int)
  /// The tap has ended, while the program was to answer.
  case stopped

  var exit: Exit { if case .notStarted = self { .error } else { .notRight } }

  // The content of a line is not shown: it may hold an account number.
  var description: String {
    switch self {
    case .notStarted(let name, let error): "cannot start \(name): \(error)"
    case .ended(let number): "the program ended without a response to command \(number)"
    case .closedInput(let number): "the program closed its standard input before command \(number)"
    case .closedOutput(let number):
      "the program closed its standard output without a response to command \(number)"
    case .late(let number, let limit):
      "the program did not answer command \(number) within \(limit.text): it must write a line and flush its output"
    case .tooLong(let number):
      "the response to command \(number) is longer than \(ResponseAPDU.maximumCount.bytes) in hexadecimal"
    case .notHexadecimal(let number, let error): "the response to command \(number) is malformed: \(error)"
    case .wrongSize(let number, let count, let limit):
      "the response to command \(number) has \(count.bytes): 2, the status word, to \(limit) are possible"
    case .unasked(let number):
      "the program wrote a line before command \(number): one line per command, and none for an event"
    case .stopped: "the tap ended before the program had answered"
    }
  }
}
