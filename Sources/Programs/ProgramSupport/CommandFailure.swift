/// Why a command is not done: the name of the error, a sentence, and how the program ends.
public struct CommandFailure: ExitError {
  /// The name, for programs.
  public let code: String
  /// The sentence, for people.
  public let message: String
  /// How the program ends.
  public let exit: Exit
  /// How many wrong PINs the issuer still allows, after a wrong one.
  public var attemptsLeft: Int?

  /// Creates a failure.
  public init(_ code: String, _ message: String, _ exit: Exit) {
    (self.code, self.message, self.exit) = (code, message, exit)
  }

  /// Creates a failure with the sentence of an error, which also decides how the program ends.
  public init(_ code: String, of error: any Error) { self.init(code, "\(error)", Exit(error)) }
}
