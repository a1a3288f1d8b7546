internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import ServerStore

extension RequestRules {
  /// Makes an authorization for the user of an account: a JWT (RFC 7519) with ES256. The server recognises it by its digest,
  /// so that it can be withdrawn; the signature is for other systems.
  ///
  /// - Parameters:
  ///   - deviceID: The device of the key that was used; nil when the client gave none.
  ///   - keys: The keys that were used or registered. The authorization ends with the first of them.
  ///   - former: The authorizations that the account has, the oldest first.
  ///   - signingKey: The newest key that signs authorizations.
  func authorize(
    _ account: String, deviceID: String?, keys: [CredentialRecord], sessionID: String,
    former: [AuthorizationRecord], signedWith signingKey: KeyGenerationRecord?
  ) throws(AccessError) -> ServerResponse.Token {
    let expiresAt = now + configuration.lifetimes.authorization
    let claims: JSONValue = [
      "iss": JSONValue(environment.url), "sub": JSONValue(account), "iat": JSONValue(now / 1_000),
      "exp": JSONValue(expiresAt / 1_000), "jti": JSONValue(environment.newToken()),
    ]
    let key = try ServerKeys.authorization(signingKey)
    let token = try AccessError.typed {
      try JSONWebSignature.compact(signing: Array(claims.compact.utf8), with: key, members: [("typ", "JWT")])
    }
    for excess in former.dropLast(RecordLimits.authorizations - 1) {
      try transaction.remove(AuthorizationRecord.self, excess.digest)
    }
    try transaction.save(
      AuthorizationRecord(
        digest: TokenDigest(of: token), account: account, deviceID: deviceID, keys: AuthorizingKeys(keys),
        sessionID: sessionID, createdAt: now, expiresAt: expiresAt))
    return ServerResponse.Token(type: "JWT", value: token)
  }
}
