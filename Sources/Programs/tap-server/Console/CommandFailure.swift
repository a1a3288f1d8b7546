import AccessMessages
import AccessServer
import ArgumentParser
import Octets

/// Why a command failed: a code for programs, a sentence for people, and the exit code.
struct CommandFailure: Error {
  let code: String
  let message: String
  let exitCode: ExitCode

  init(_ code: String, _ message: String, _ exitCode: ExitCode = .failure) {
    (self.code, self.message, self.exitCode) = (code, message, exitCode)
  }

  /// A failure of the connection.
  init(_ error: HTTPExchangeError) { self.init("NetworkError", "\(error)", .unreached) }

  /// A refusal of the server, or an error of it.
  init(_ refusal: AccessFailure, status: Int) {
    self.init(refusal.code.rawValue, refusal.message.visible(), status < 500 ? .refused : .failure)
  }
}

extension ExitCode {
  /// The server refused.
  static let refused = ExitCode(2)
  /// The server was not reached.
  static let unreached = ExitCode(3)
}
