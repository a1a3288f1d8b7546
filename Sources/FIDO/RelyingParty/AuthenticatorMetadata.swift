package import FIDOUAF

/// What the server knows of a model of authenticators (FIDO UAF Metadata Statements 1.1). Attestation is surrogate only: no
/// model has root certificates.
package struct AuthenticatorMetadata: Sendable {
  /// The model, as policies describe it.
  package let authenticator: AuthenticatorDescription
  /// The algorithms of its keys.
  package let algorithms: Set<AuthenticatorAlgorithm>

  /// The model with a key of one algorithm.
  package func authenticator(with algorithm: SignatureAlgorithm) -> AuthenticatorDescription {
    var description = authenticator
    description.authenticationAlgorithm = algorithm
    return description
  }

  /// The models by their AAIDs, in the order in which the default policy offers them.
  package static let models: [AuthenticatorMetadata] =
    models(series: "1", [.ecdsa]) + models(series: "0", [.ecdsa, .rsa])

  /// The metadata of a model; nil for an unknown one.
  package static func model(_ aaid: AAID) -> AuthenticatorMetadata? { models.first { $0.authenticator.aaid == aaid } }

  // PIN, fingerprint, face (or any biometry on Android), device passcode, password.
  private static func models(series: String, _ algorithms: Set<AuthenticatorAlgorithm>) -> [AuthenticatorMetadata] {
    let kinds: [(UserVerification, MatcherProtection)] = [
      (.passcode, .software), (.fingerprint, .trustedExecutionEnvironment),
      (series == "0" ? [.fingerprint, .faceprint] : .faceprint, .trustedExecutionEnvironment),
      (.passcode, .trustedExecutionEnvironment), (.passcode, .software),
    ]
    return kinds.enumerated().compactMap { index, kind in
      AAID("F1D0#\(series)00\(index + 1)").map { aaid in
        AuthenticatorMetadata(
          authenticator: AuthenticatorDescription(
            aaid: aaid, userVerification: kind.0, keyProtection: .hardware, matcherProtection: kind.1),
          algorithms: algorithms)
      }
    }
  }
}
