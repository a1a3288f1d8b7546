internal import AccessMessages
internal import FIDOUAF
internal import JOSE
internal import Octets
internal import ServerStore

extension OperationRules {
  /// A challenge for a new request, and the header that carries the session identifier in `serverData`.
  struct NewRequest {
    let sessionID: String
    /// Whether the session begins with this request, so that its operation has no record.
    let beginsSession: Bool
    let challenge: [UInt8]
    let header: OperationHeader
  }

  func newRequest(_ operation: UAFOperation, sessionID: String?) -> NewRequest {
    let beginsSession = sessionID == nil
    let sessionID = sessionID ?? newIdentifier()
    return NewRequest(
      sessionID: sessionID, beginsSession: beginsSession, challenge: environment.random.octets(32),
      header: OperationHeader(operation, applicationID: configuration.applicationID, serverData: sessionID))
  }

  /// Saves the challenge of a request and the state of its operation, and returns the body for the client.
  func send(
    _ message: UAFMessage, _ new: NewRequest, account: String?, state: OperationStatus.State,
    origin: DeviceOrigin, registrationToken: TokenDigest? = nil, isOpen: Bool = false
  ) throws(AccessError) -> ReturnUAFRequest {
    let operation = new.header.operation
    let (text, lifetime) = (message.text, configuration.lifetimes.request)
    try transaction.save(
      ChallengeRecord(
        id: new.challenge.base64URL, operation: operation.rawValue, account: account, request: text,
        sessionID: new.sessionID, registrationToken: registrationToken, origin: origin, isOpen: isOpen,
        address: network, createdAt: now, expiresAt: now + lifetime))
    try updateOperation(new.sessionID, operation, account: account, isNew: new.beginsSession) { record in
      record.state = state.rawValue
      record.deadline = now + lifetime
    }
    return ReturnUAFRequest(
      .ok, message: text, operation: operation, lifetimeMilliseconds: Int(lifetime))
  }

  /// Changes the record of an operation, or makes it.
  ///
  /// - Parameters:
  ///   - isNew: Whether the operation certainly has no record yet.
  ///   - known: The record, when it was read.
  func updateOperation(
    _ sessionID: String, _ operation: UAFOperation, account: String?, isNew: Bool = false,
    known: OperationRecord? = nil, _ change: (inout OperationRecord) -> Void
  ) throws(AccessError) {
    var known = known
    if !isNew, known == nil { known = try transaction.operation(sessionID) }
    var record =
      known
      ?? OperationRecord(
        sessionID: sessionID, operation: operation.rawValue, state: OperationStatus.State.tokenCreated.rawValue,
        account: account, address: network, createdAt: now, changedAt: now, deadline: now, expiresAt: now)
    change(&record)
    record.account = record.account ?? account
    record.changedAt = now
    record.expiresAt = max(record.deadline, now) + configuration.lifetimes.status
    if isNew { try transaction.saveNew(record) } else { try transaction.save(record) }
  }
}

extension OperationStatus.Authenticator {
  init(_ credential: CredentialRecord) {
    self.init(aaid: credential.aaid, keyID: credential.keyID.base64URL, externalID: credential.externalID)
  }
}
