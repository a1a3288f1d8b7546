internal import EMVCryptography

extension PaymentOutcome.DataAuthentication {
  /// The verdict as a recording holds it: `passed`, or `failed` and the check.
  public var recorded: String {
    switch self {
    case .passed: "passed"
    case .failed(let failure): "failed \(failure.code)"
    }
  }

  /// Reads what `recorded` returns, with spaces around it; nil for any other text.
  public init?(recorded text: String) {
    let words = text.split(separator: " ")
    if words == ["passed"] {
      self = .passed
    } else if words.first == "failed",
      let failure = AuthenticationFailure(code: words.dropFirst().joined(separator: " "))
    {
      self = .failed(failure)
    } else {
      return nil
    }
  }
}
