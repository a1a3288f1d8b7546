internal import JOSE
internal import Octets
internal import Synchronization

/// The sessions of the operator's page. They are kept in the memory of the server: they end with it, and a copy of the
/// database opens none.
final class OperatorSessions: Sendable {
  /// The time without a request after which a session ends, in milliseconds: 15 minutes.
  static let idleLimit: Int64 = 900_000
  /// The time after which a session ends in any case, in milliseconds: 8 hours.
  static let limit: Int64 = 28_800_000
  /// The most sessions at a time. One more ends the oldest.
  static let maximumCount = 64

  private let sessions = Mutex<[TokenDigest: OperatorSession]>([:])

  /// Begins a session.
  ///
  /// - Returns: Its token, for the cookie.
  func begin(at now: Int64, _ random: any RandomSource) -> String {
    let token = random.octets(32).base64URL
    let session = OperatorSession(formToken: random.octets(32).base64URL, begunAt: now, usedAt: now)
    sessions.withLock { sessions in
      sessions = sessions.filter { $0.value.isOpen(at: now) }
      if sessions.count >= Self.maximumCount,
        let oldest = sessions.min(by: { $0.value.begunAt < $1.value.begunAt })
      {
        sessions[oldest.key] = nil
      }
      sessions[TokenDigest(of: token)] = session
    }
    return token
  }

  /// The session with a token, whose time without a request begins again; nil for an unknown or ended one.
  func use(_ token: String, at now: Int64) -> OperatorSession? {
    let digest = TokenDigest(of: token)
    return sessions.withLock { sessions in
      guard let session = sessions[digest], session.isOpen(at: now) else {
        sessions[digest] = nil
        return nil
      }
      sessions[digest]?.usedAt = now
      return session
    }
  }

  /// Ends the session with a token.
  func end(_ token: String) { sessions.withLock { $0[TokenDigest(of: token)] = nil } }
}

/// A session of the operator's page.
struct OperatorSession: Sendable {
  /// The token that every form of the session must have, so that no other site can send one.
  let formToken: String
  /// When it began, in milliseconds since 1970.
  let begunAt: Int64
  /// When its last request came.
  var usedAt: Int64

  func isOpen(at now: Int64) -> Bool {
    now < usedAt + OperatorSessions.idleLimit && now < begunAt + OperatorSessions.limit
  }

  /// Whether a form has the token of the session. Takes the same time for every wrong token.
  func accepts(_ formToken: String?) -> Bool {
    TokenDigest(of: formToken ?? "").isEqualInConstantTime(to: TokenDigest(of: self.formToken))
  }
}

extension TokenDigest {
  /// Compares in a time that does not depend on the bytes.
  func isEqualInConstantTime(to other: TokenDigest) -> Bool { constantTimeEqual(octets.span, other.octets.span) }
}
