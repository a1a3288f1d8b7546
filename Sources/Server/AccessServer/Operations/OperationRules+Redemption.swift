internal import AccessMessages
internal import FIDOUAF
internal import ServerStore

extension OperationRules {
  /// Redeems a token for the request of its operation. Each token is redeemed once. A refused redemption does not use it.
  ///
  /// - Returns: 1200 with a request; 1404 for a token that is unknown or of another operation, and for an account without a
  ///   key; 1403 for a deactivated device; 1408 for an expired token, 1491 for one that was already redeemed.
  func redeem(_ token: String, _ operation: UAFOperation) throws(AccessError) -> ReturnUAFRequest {
    guard var record = try transaction.outOfBandToken(TokenDigest(of: token)), record.operation == operation.rawValue
    else {
      try auditCounted(.redemption, "unknown token")
      return ReturnUAFRequest(.notFound)
    }
    if record.redeemedAt != nil { return try refused(record, .requestInvalid) }
    if record.expiresAt <= now { return try refused(record, .requestTimeout) }
    if let id = record.device {
      guard let device = try transaction.device(id), device.state == .active else {
        return try refused(record, .forbidden)
      }
    }
    let request = try request(for: record, operation)
    // A request that cannot be made does not use the token.
    guard request.status == .ok else { return try refused(record, request.status) }
    record.redeemedAt = now
    try transaction.save(record)
    try updateOperation(record.sessionID, operation, account: record.account) { $0.isRedeemed = true }
    try audit(.redemption, "redeemed", account: record.account, device: record.device, sessionID: record.sessionID)
    return request
  }

  private func refused(
    _ record: OutOfBandTokenRecord, _ status: UAFStatusCode
  ) throws(AccessError) -> ReturnUAFRequest {
    try auditCounted(
      .redemption, "\(status.rawValue)", account: record.account, device: record.device, sessionID: record.sessionID)
    return ReturnUAFRequest(status)
  }

  private func request(for record: OutOfBandTokenRecord, _ operation: UAFOperation) throws(AccessError)
    -> ReturnUAFRequest
  {
    let context = try Self.context(record.context)
    switch operation {
    case .authentication:
      return try authenticationRequest(context, sessionID: record.sessionID, origin: record.origin)
    case .registration, .deregistration:
      guard let account = record.account else {
        throw .damaged("a dispatched registration or deregistration has no account")
      }
      return operation == .registration
        ? try registrationRequest(for: account, context, sessionID: record.sessionID, .dispatched(record.origin))
        : try deregistrationRequest(context, of: account, sessionID: record.sessionID)
    }
  }
}
