internal import AccessMessages
internal import OperatorPages
internal import ServerStore

extension PageRules {
  /// The wrong tokens from one address in one period that are answered. The right token is accepted at any time: others may
  /// have the address of the guesser, and 256 random bits cannot be guessed.
  static let operatorLoginLimit = 5

  /// Checks the token of the operator that was typed into the login form, and begins a session.
  ///
  /// - Returns: The token of the session, for the cookie.
  /// - Throws: A refusal: `unauthorized` for a wrong token, `tooManyFailures`.
  func logInOperator(_ token: String) throws(AccessError) -> String {
    let subject = FailureSubject.operatorLogin(address: network)
    guard let expected = environment.operatorToken, expected.isEqualInConstantTime(to: TokenDigest(of: token)) else {
      try checkFailures(of: subject, limit: Self.operatorLoginLimit)
      try countFailure(of: subject)
      try audit(.operatorLogin, "refused")
      throw .refused(.unauthorized, "The token is wrong.")
    }
    try audit(.operatorLogin, "succeeded")
    return try beginOperatorSession(expected)
  }
}
