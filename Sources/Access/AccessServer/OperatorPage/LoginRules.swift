internal import AccessMessages

extension Rules {
  /// The wrong tokens from one address in one period, after which its logins are refused.
  static let operatorLoginLimit = 5

  /// Checks the token of the operator that was typed into the login form.
  ///
  /// - Throws: `AccessFailure`: `unauthorized` for a wrong token, `tooManyFailures`.
  func logInOperator(_ token: String) throws {
    let subject = FailureSubject.operatorLogin(address: address)
    try checkFailures(of: subject, limit: Self.operatorLoginLimit)
    guard let expected = environment.operatorToken, expected.isEqualInConstantTime(to: TokenDigest(of: token)) else {
      try countFailure(of: subject)
      try audit(.operatorLogin, "refused")
      throw AccessFailure(.unauthorized, "The token is wrong.")
    }
    try audit(.operatorLogin, "succeeded")
  }
}
