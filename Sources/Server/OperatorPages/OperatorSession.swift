internal import Crypto
internal import JOSE
internal import Octets
internal import ServerShell
package import ServerStore

/// A session of the operator's page. It is in the store, so that every server on the database accepts it.
package struct OperatorSession: Sendable {
  /// The time without a request after which a session ends, in milliseconds: 15 minutes.
  package static let idleLimit: Int64 = 900_000
  /// The time after which a session ends in any case, in milliseconds: 8 hours.
  package static let limit: Int64 = 28_800_000
  /// Requests within this time of an earlier one do not change the record, in milliseconds: one minute.
  package static let precision: Int64 = 60_000

  /// The token that every form of the session must have, so that no other site can send one. It is derived from the token of
  /// the session, so that the store has neither of them.
  package let formToken: String
  package let record: OperatorSessionRecord

  package init(_ token: String, _ record: OperatorSessionRecord) {
    let key = SymmetricKey(data: Array(token.utf8))
    let code = HMAC<SHA256>.authenticationCode(for: Array("form of the operator's page".utf8), using: key)
    (formToken, self.record) = (Array(code).base64URL, record)
  }

  /// Whether a request changes the record.
  package func isExtended(at now: Int64) -> Bool { now >= record.usedAt + Self.precision }

  /// Whether a form has the token of the session. Takes the same time for every wrong token.
  package func accepts(_ formToken: String?) -> Bool {
    TokenDigest(of: formToken ?? "").isEqualInConstantTime(to: TokenDigest(of: self.formToken))
  }
}

extension TokenDigest {
  /// Compares in a time that does not depend on the bytes.
  package func isEqualInConstantTime(to other: TokenDigest) -> Bool {
    constantTimeEqual(octets.span, other.octets.span)
  }
}
