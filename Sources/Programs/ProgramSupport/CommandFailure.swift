/// Why a command is not done: the name of the error, a sentence, and how the program ends.
package struct CommandFailure: ExitError {
  /// The name, for programs.
  package let code: String
  /// The sentence, for people.
  package let message: String
  /// How the program ends.
  package let exit: Exit
  /// How many wrong PINs the issuer still allows, after a wrong one.
  package var attemptsLeft: Int?

  /// Creates a failure.
  package init(_ code: String, _ message: String, _ exit: Exit) {
    (self.code, self.message, self.exit) = (code, message, exit)
  }

  /// Creates a failure with the sentence of an error, which also decides how the program ends.
  package init(_ code: String, of error: any Error) { self.init(code, "\(error)", Exit(error)) }
}
