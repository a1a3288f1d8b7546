internal import AccessMessages
internal import OperatorPages
internal import ServerShell
internal import ServerStore

extension PageRules {
  /// Begins a session. One more than `RecordLimits.operatorSessions` ends the oldest one.
  ///
  /// - Parameter operatorToken: The digest of the operator's token, which was checked.
  /// - Returns: The token of the session, for the cookie.
  func beginOperatorSession(_ operatorToken: TokenDigest) throws(AccessError) -> String {
    let open = try transaction.operatorSessions()
    for former in open.dropLast(RecordLimits.operatorSessions - 1) {
      try transaction.remove(OperatorSessionRecord.self, former.digest)
    }
    let token = environment.newToken()
    try transaction.save(
      OperatorSessionRecord(
        digest: TokenDigest(of: token), operatorToken: operatorToken, createdAt: now, usedAt: now,
        expiresAt: now + OperatorSession.idleLimit))
    return token
  }

  /// The session with a token; nil for an unknown or ended one, and for one that was begun with another token of the operator
  /// than the server has now.
  func operatorSession(_ token: String) throws(AccessError) -> OperatorSession? {
    guard let record = try transaction.operatorSession(TokenDigest(of: token)), record.expiresAt > now,
      let expected = environment.operatorToken, expected.isEqualInConstantTime(to: record.operatorToken)
    else { return nil }
    return OperatorSession(token, record)
  }

  /// Records a request of a session, whose time without a request begins again. A session that has ended since stays ended.
  func extend(_ session: OperatorSession) throws(AccessError) {
    guard var record = try transaction.operatorSession(session.record.digest) else { return }
    record.usedAt = now
    record.expiresAt = min(now + OperatorSession.idleLimit, record.createdAt + OperatorSession.limit)
    try transaction.save(record)
  }

  /// Ends a session.
  func end(_ session: OperatorSession) throws(AccessError) {
    try transaction.remove(OperatorSessionRecord.self, session.record.digest)
    try audit(.operatorLogout, "succeeded")
  }
}

extension AccessService {
  /// The session of a request, which is extended; nil without an open one.
  func operatorSession(_ call: Call) async throws(AccessError) -> OperatorSession? {
    guard let token = PageCookie.session.value(in: call.request),
      let session = try await decide(
        from: call.request.address, in: .read, by: PageRules.self, { try $0.operatorSession(token) })
    else { return nil }
    if session.isExtended(at: now) { try await decide(call, by: PageRules.self) { try $0.extend(session) } }
    return session
  }
}
