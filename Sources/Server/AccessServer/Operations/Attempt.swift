internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import RelyingParty
internal import ServerStore

/// An attempt to register or to authenticate: what is known of it, whatever becomes of it.
struct Attempt {
  let operation: UAFOperation
  /// The session identifier of the operation, or nil.
  var sessionID: String?
  /// The account, or nil.
  var account: String?
  /// The context that the client sent.
  var context = ResponseContext()
  /// Whether the challenge is one of ours. A response to another one is counted, and not audited by itself.
  var isKnown = false
  /// The operation, when it was read.
  var record: OperationRecord?

  /// Creates an attempt of which nothing is known.
  init(_ operation: UAFOperation) { self.operation = operation }
}

/// What the store has of a response before anything of it is verified. The client names the challenge, the session and the key.
struct ResponseReads {
  /// The challenge.
  let challenge: ChallengeRecord?
  /// The operation with the session identifier of the header.
  let operation: OperationRecord?
  /// The newest key that signs authorizations.
  let signingKey: KeyGenerationRecord?
  /// What belongs to the first key that an authentication names; nil for a registration.
  let key: KeyReads?

  /// What the store has of a key.
  struct KeyReads {
    let name: CredentialRecord.Key
    let credential: CredentialRecord?
    /// The deactivated devices of its account.
    let deactivations: [DeactivationRecord]
    /// The authorizations of its account.
    let authorizations: [AuthorizationRecord]
  }

  /// Asks for all of it, in one round trip.
  init(_ received: ReceivedResponse, in transaction: AccessTransaction) throws(AccessError) {
    let named = AuthenticationCeremony.namedKeys(in: received).first.map {
      CredentialRecord.Key(aaid: $0.aaid.description, keyID: $0.keyID.octets)
    }
    self = try transaction.readTogether { store throws(AccessError) in
      ResponseReads(
        challenge: try store.challenge(received.challengeID),
        operation: try received.response.header.serverData.flatMap(store.operation),
        signingKey: try store.newestKey(.authorization),
        key: try named.map { (name) throws(AccessError) in
          KeyReads(
            name: name, credential: try store.credential(aaid: name.aaid, keyID: name.keyID),
            deactivations: try store.deactivations(ofOwnerOf: name),
            authorizations: try store.authorizations(ofOwnerOf: name))
        })
    }
  }

  private init(
    challenge: ChallengeRecord?, operation: OperationRecord?, signingKey: KeyGenerationRecord?, key: KeyReads?
  ) { (self.challenge, self.operation, self.signingKey, self.key) = (challenge, operation, signingKey, key) }
}

/// A response to a challenge of ours. Nothing else of it is verified.
struct AnsweredChallenge {
  let received: ReceivedResponse
  let challenge: ChallengeRecord
  let read: ResponseReads
}

extension ReceivedResponse {
  /// The identifier of the challenge in the store.
  fileprivate var challengeID: String { parameters.challenge.base64URL }
}

/// An attempt that succeeded.
struct Accepted {
  /// The keys that were registered or have authenticated.
  let keys: [CredentialRecord]
  /// The authorization for the client.
  let token: ServerResponse.Token
}

extension AccessError {
  /// The refusal of a ceremony.
  ///
  /// - Throws: Any other error, with its type.
  static func refusal(_ error: any Error) throws(AccessError) -> CeremonyError {
    guard let refusal = error as? CeremonyError else { throw AccessError(of: error) }
    return refusal
  }
}

extension OperationRules {
  /// Reads a response, and finds the challenge that it answers. The challenge is removed, whatever follows.
  ///
  /// - Throws: `CeremonyError`, or what the store throws.
  func receive(_ body: SendUAFResponse, _ attempt: inout Attempt) throws -> AnsweredChallenge {
    let received = try ReceivedResponse(body.message, to: attempt.operation)
    let read = try ResponseReads(received, in: transaction)
    guard let challenge = read.challenge else {
      throw CeremonyError(.requestInvalid, "the challenge is unknown or already used")
    }
    attempt.isKnown = true
    try transaction.remove(ChallengeRecord.self, challenge.id)
    if read.operation?.sessionID == challenge.sessionID { attempt.record = read.operation }
    (attempt.sessionID, attempt.account) = (challenge.sessionID, challenge.account)
    attempt.context = try CeremonyError.refusing { () throws(DocumentError) in try ResponseContext(text: body.context) }
    guard challenge.operation == attempt.operation.rawValue else {
      throw CeremonyError(.requestInvalid, "the challenge was issued for another operation")
    }
    guard challenge.expiresAt > now else {
      throw CeremonyError(
        .requestInvalid,
        "the challenge is expired after \((challenge.expiresAt - challenge.createdAt) / 1_000) s; start the operation again"
      )
    }
    return AnsweredChallenge(received: received, challenge: challenge, read: read)
  }

  /// The request that was sent with a challenge.
  func request(of challenge: ChallengeRecord) throws(AccessError) -> UAFMessage {
    do throws(UAFMessageError) {
      return try UAFMessage(request: challenge.request)
    } catch {
      throw .damaged("a stored request cannot be read: \(error)")
    }
  }

  /// Records the result of an attempt: state of the operation, audit trail. Returns the body for the client.
  func conclude(_ attempt: Attempt, _ result: Result<Accepted, CeremonyError>) throws(AccessError) -> ServerResponse {
    switch result {
    case .success(let accepted):
      try record(attempt, .ok, accepted.keys)
      return ServerResponse(.ok, tokens: [accepted.token])
    case .failure(let refusal):
      try record(attempt, refusal.status, [])
      return ServerResponse(refusal.status, summary: refusal.reason)
    }
  }

  private func record(
    _ attempt: Attempt, _ status: UAFStatusCode, _ keys: [CredentialRecord]
  ) throws(AccessError) {
    let event: AuditEvent = attempt.operation == .registration ? .registration : .authentication
    guard attempt.isKnown else { return try auditCounted(event, "\(status.rawValue)") }
    try audit(event, "\(status.rawValue)", account: attempt.account, sessionID: attempt.sessionID)
    guard let sessionID = attempt.sessionID else { return }
    try updateOperation(sessionID, attempt.operation, account: attempt.account, known: attempt.record) { record in
      record.state = (status == .ok ? OperationStatus.State.succeeded : .failed).rawValue
      record.uafStatus = status.rawValue
      record.asmStatus = attempt.context.asmStatus
      record.clientError = attempt.context.clientError
      record.authenticators = keys.map(OperationStatus.Authenticator.init)
    }
  }
}

extension CredentialRecord {
  /// The key as the ceremonies use it; nil when it has the wrong form in the database.
  var registeredKey: RegisteredKey? {
    guard let aaid = AAID(aaid), let keyID = KeyID(keyID) else { return nil }
    return RegisteredKey(
      aaid: aaid, keyID: keyID, userName: account, publicKey: publicKey,
      publicKeyEncoding: PublicKeyEncoding(rawValue: publicKeyEncoding),
      signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm),
      authenticatorVersion: authenticatorVersion, signatureCounter: signatureCounter)
  }
}
