package import ArgumentParser
internal import JSON
internal import Octets

/// How a program ends. An exit code means the same in every program.
package enum Exit: Int32, CaseIterable, Sendable {
  /// What was asked for is done.
  case done = 0
  /// Something cannot be opened, read or written, or another error occurred.
  case error = 1
  /// What was judged is not right: in no known form, malformed, with problems, different, failed, refused, declined, ended
  /// too early, torn, or not judged.
  case notRight = 2
  /// A reader, card, terminal, server, link or issuer was not reached in time.
  case notReached = 3
  /// The command line is wrong, a value of an option included: EX_USAGE of sysexits(3).
  case usage = 64
  /// SIGINT or SIGTERM ended the program: 128 and the number of SIGINT, as a shell reports it.
  case interrupted = 130

  /// Decides how an error ends a program. No other place decides it.
  package init(_ error: any Error) {
    self =
      switch error {
      case let error as any ExitError: error.exit
      case let code as ExitCode: Exit(rawValue: code.rawValue) ?? .error
      case is ValidationError: .usage
      case is OctetsError, is JSONError: .notRight
      default: .error
      }
  }

  /// Decides how several results end a program: an error says more about the set-up than a reader that was not reached, and
  /// that says more than a result that is not right.
  package init(of results: some Sequence<Exit>) {
    let found = Set(results)
    self = [.error, .notReached, .notRight].first(where: found.contains) ?? .done
  }

  /// Every code with its meaning in any command.
  package static let meanings = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.meaning) })

  /// What the code means in any command.
  var meaning: String {
    switch self {
    case .done: "done"
    case .error: "something cannot be opened, read or written, or another error occurred"
    case .notRight:
      """
      what was judged is not right: malformed, with problems, different, failed, refused, declined, ended, torn or not judged
      """
    case .notReached: "a reader, card, terminal, server, link or issuer was not reached in time"
    case .usage: "the command line is wrong, or a value of an option"
    case .interrupted: "interrupted"
    }
  }

  /// The code for the argument parser, to be thrown.
  package var code: ExitCode { ExitCode(rawValue) }
}

/// An error that decides how it ends a program. Every other error is `Exit.error`.
package protocol ExitError: Error {
  /// How the program ends.
  var exit: Exit { get }
}

extension ExitError {
  /// `Exit.notRight`: what most of these errors say of the thing that was judged.
  package var exit: Exit { .notRight }
}
