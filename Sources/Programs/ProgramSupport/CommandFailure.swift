public import ArgumentParser

/// Why a command is not done: the name of the error, a sentence, and the exit code.
public struct CommandFailure: Error {
  /// The name, for programs.
  public let code: String
  /// The sentence, for people.
  public let message: String
  /// The exit code.
  public let exit: ExitCode
  /// How many wrong PINs the issuer still allows, after a wrong one.
  public var attemptsLeft: Int?

  /// Creates a failure.
  public init(_ code: String, _ message: String, _ exit: ExitCode = .failure) {
    (self.code, self.message, self.exit) = (code, message, exit)
  }
}

extension ExitCode {
  /// The person, a policy, the server, the device lock or an unarmed card refused.
  public static let refused = ExitCode(2)
  /// The server was not reached, or the link ended first.
  public static let notReached = ExitCode(3)
  /// SIGINT or SIGTERM.
  public static let interrupted = ExitCode(130)
}
