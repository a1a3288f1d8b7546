internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import ServerStore

/// A response to one of our requests, after the checks that all operations share.
struct ReceivedResponse {
  /// The request that the client answered.
  let request: UAFMessage
  /// The challenge that we issued.
  let challenge: ChallengeRecord
  /// The response.
  let response: UAFResponse
  /// SHA-256 over the encoded final challenge parameters.
  let finalChallengeHash: [UInt8]
  /// The context that the client sent.
  let context: ResponseContext
}

/// What is known of an attempt when it fails.
struct Attempt {
  /// The session identifier of the operation, or nil.
  var sessionID: String?
  /// The account, or nil.
  var account: String?
  /// The context that the client sent.
  var context = ResponseContext()
  /// Whether the challenge is one of ours. A response to another one is counted, and not audited by itself.
  var isKnown = false
}

extension Rules {
  /// Reads a response and checks it against our request (FIDO UAF Protocol Specification 1.1, sections 3.4.6.5 and 3.5.7.5).
  ///
  /// The challenge is removed, whatever follows.
  func receive(
    _ body: SendUAFResponse, _ operation: UAFOperation, _ attempt: inout Attempt
  ) throws(AccessError) -> ReceivedResponse {
    let response = try Self.response(in: body, operation)
    let parameters = try Self.parameters(of: response)
    let id = parameters.challenge.base64URL
    try readInAdvance(response, challenge: id)
    guard let challenge = try transaction.challenge(id) else {
      throw .uaf(.requestInvalid, "the challenge is unknown or already used")
    }
    attempt.isKnown = true
    try transaction.remove(ChallengeRecord.self, id)
    (attempt.sessionID, attempt.account) = (challenge.sessionID, challenge.account)
    attempt.context = try Self.refusing { () throws(DocumentError) in try ResponseContext(text: body.context) }
    guard challenge.operation == operation.rawValue else {
      throw .uaf(.requestInvalid, "the challenge was issued for another operation")
    }
    guard challenge.expiresAt > now else {
      throw .uaf(
        .requestInvalid,
        "the challenge is expired after \((challenge.expiresAt - challenge.createdAt) / 1_000) s; start the operation again"
      )
    }
    let request = try Self.request(of: challenge)
    try check(response.header, against: request.header, parameters)
    try check(parameters.channelBinding)
    let (count, limit) = (response.assertions.count, request.maximumAssertionCount)
    guard count <= limit else {
      throw .uaf(
        .unacceptableContent, "the response has \(count) assertions: the policy uses at most \(limit)")
    }
    guard !response.assertions.isEmpty else {
      throw .uaf(.unacceptableContent, "the client failed: the response has no assertions")
    }
    return ReceivedResponse(
      request: request, challenge: challenge, response: response,
      finalChallengeHash: FinalChallengeParameters.hash(ofEncoded: response.finalChallengeParameters),
      context: attempt.context)
  }

  /// Reads in one round trip what the rules of a response read one by one. The client names the session and the key, so both
  /// are only guesses: the rules read again what they need and find no guess for.
  private func readInAdvance(_ response: UAFResponse, challenge id: String) throws(AccessError) {
    let assertion = response.assertions.first.flatMap { try? AuthenticationAssertion($0.octets) }
    try transaction.prefetch { store throws(AccessError) in
      _ = try store.challenge(id)
      if let session = response.header.serverData { _ = try store.operation(session) }
      _ = try store.newestKey(.authorization)
      guard let assertion else { return }
      let key = CredentialRecord.Key(aaid: assertion.aaid.description, keyID: assertion.keyID.octets)
      _ = try store.credential(aaid: key.aaid, keyID: key.keyID)
      _ = try store.deactivations(ofOwnerOf: key)
      _ = try store.authorizations(ofOwnerOf: key)
    }
  }

  private static func response(in body: SendUAFResponse, _ operation: UAFOperation) throws(AccessError) -> UAFResponse {
    let message = try refusing { () throws(UAFMessageError) in try UAFMessage(response: body.message) }
    switch (message, operation) {
    case (.registrationResponse(let response), .registration): return response
    case (.authenticationResponse(let response), .authentication): return response
    default: throw .uaf(.unacceptableContent, "the message is not a response of this operation")
    }
  }

  private static func parameters(of response: UAFResponse) throws(AccessError) -> FinalChallengeParameters {
    try refusing { () throws(DocumentError) in
      try FinalChallengeParameters(encoded: response.finalChallengeParameters, at: "$[0].fcParams")
    }
  }

  private static func request(of challenge: ChallengeRecord) throws(AccessError) -> UAFMessage {
    do throws(UAFMessageError) {
      return try UAFMessage(request: challenge.request)
    } catch {
      throw .damaged("a stored request cannot be read: \(error)")
    }
  }

  /// Turns an error of a message of the client into a refusal.
  static func refusing<Value, Failure: Error>(_ read: () throws(Failure) -> Value) throws(AccessError) -> Value {
    do throws(Failure) {
      return try read()
    } catch {
      throw .uaf(.unacceptableContent, "\(error)")
    }
  }

  private func check(
    _ header: OperationHeader, against request: OperationHeader, _ parameters: FinalChallengeParameters
  ) throws(AccessError) {
    guard header.version == request.version, header.serverData == request.serverData else {
      throw .uaf(.unacceptableContent, "version and serverData must be those of the request")
    }
    guard !header.extensions.contains(where: \.failsIfUnknown) else {
      throw .uaf(.unacceptableContent, "the server does not know an extension that it must know")
    }
    // Without an application identifier in the request, the facet identifier takes its place (section 3.4.6.2).
    let requested = request.applicationID.flatMap { $0.isEmpty ? nil : $0 } ?? parameters.facetID
    guard parameters.applicationID == requested else {
      throw .uaf(.unacceptableContent, "fcParams has another appID than the request")
    }
    guard [requested, request.applicationID ?? ""].contains(header.applicationID ?? "") else {
      throw .uaf(.unacceptableContent, "the header has another appID than the request")
    }
    guard configuration.trusts(facet: parameters.facetID) else {
      throw .uaf(.unacceptableContent, "the facetID is not in the list of trusted facets")
    }
  }

  private func check(_ binding: ChannelBinding) throws(AccessError) {
    guard configuration.accepts(binding, at: now) else {
      throw .uaf(.channelBindingRefused, "the channel binding is not that of this server")
    }
  }
}

extension UAFMessage {
  /// The header of any message.
  var header: OperationHeader {
    switch self {
    case .registrationRequest(let request): request.header
    case .authenticationRequest(let request): request.header
    case .deregistrationRequest(let request): request.header
    case .registrationResponse(let response), .authenticationResponse(let response): response.header
    }
  }
}

extension UAFMessage {
  /// How many assertions the policy of a request can use; 0 for another message.
  fileprivate var maximumAssertionCount: Int {
    switch self {
    case .registrationRequest(let request): request.policy.accepted.map(\.count).max() ?? 0
    case .authenticationRequest(let request): request.policy.accepted.map(\.count).max() ?? 0
    default: 0
    }
  }
}
