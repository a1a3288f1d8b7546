internal import FIDOUAF

/// What the server knows of a model of authenticators (FIDO UAF Metadata Statements 1.1). Attestation is surrogate only: no
/// model has root certificates.
struct AuthenticatorMetadata: Sendable {
  /// A signature algorithm with the encoding of its public keys.
  struct Algorithm: Hashable, Sendable {
    let signature: SignatureAlgorithm
    let publicKey: PublicKeyEncoding

    static let ecdsa = Algorithm(signature: .p256ECDSAWithSHA256DER, publicKey: .ecSubjectPublicKeyInfo)
    static let rsa = Algorithm(signature: .rsaPKCS1WithSHA256DER, publicKey: .rsa2048SubjectPublicKeyInfo)
  }

  /// The model, as policies describe it.
  let authenticator: AuthenticatorDescription
  /// The algorithms of its keys.
  let algorithms: Set<Algorithm>

  /// The models by their AAIDs, in the order in which the default policy offers them.
  static let models: [AuthenticatorMetadata] = models(series: "1", [.ecdsa]) + models(series: "0", [.ecdsa, .rsa])

  /// The metadata of a model; nil for an unknown one.
  static func model(_ aaid: AAID) -> AuthenticatorMetadata? { models.first { $0.authenticator.aaid == aaid } }

  // PIN, fingerprint, face (or any biometry on Android), device passcode, password.
  private static func models(series: String, _ algorithms: Set<Algorithm>) -> [AuthenticatorMetadata] {
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
