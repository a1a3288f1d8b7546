internal import AccessMessages
internal import DeviceAuthentication
internal import FIDOUAF
internal import Octets

/// The answer of the client to one request of the protocol.
struct UAFExchange: Sendable {
  /// What an answer is bound to.
  struct Challenge: Sendable {
    /// The header of the answer: that of the request, with the application identifier that is used.
    let header: OperationHeader
    /// The application identifier that is used.
    let applicationID: String
    /// The encoded final challenge parameters.
    let parameters: String
    /// The time limit of the operation.
    let limit: InteractionLimit

    /// What the assertions contain.
    var hash: [UInt8] { FinalChallengeParameters.hash(ofEncoded: parameters) }
  }

  let client: MobileAuthenticationClient
  let connection: ServerConnection
  let path: String

  /// Authorises the facet and binds the answer to the challenge. A request that fails here is reported to the server.
  func begin(
    _ header: OperationHeader, _ challenge: [UInt8], _ fields: [HTTPField]
  ) async throws(OperationError) -> Challenge {
    let limit = client.newLimit()
    let binding = await channelBinding()
    let own = bind(header, challenge, client.configuration.facetID, binding, limit)
    return try await reporting(own, fields) { () async throws(OperationError) in
      guard !header.extensions.contains(where: \.failsIfUnknown) else {
        throw .fido(.protocolError, cause: "the request has an extension that must be known and is unknown")
      }
      return bind(header, challenge, try await client.facets.applicationID(for: header), binding, limit)
    }
  }

  /// The binding to the TLS connections to the server, as far as the exchange reports their certificate.
  private func channelBinding() async -> ChannelBinding {
    guard client.configuration.bindsToChannel,
      let certificate = await connection.http.serverCertificate(of: connection.origin)
    else { return ChannelBinding() }
    return ChannelBinding(certificate: certificate)
  }

  private func bind(
    _ header: OperationHeader, _ challenge: [UInt8], _ applicationID: String, _ binding: ChannelBinding,
    _ limit: InteractionLimit
  ) -> Challenge {
    var header = header
    if header.applicationID?.isEmpty ?? true { header.applicationID = applicationID }
    let parameters = FinalChallengeParameters(
      applicationID: applicationID, challenge: challenge, facetID: client.configuration.facetID,
      channelBinding: binding)
    return Challenge(header: header, applicationID: applicationID, parameters: parameters.encoded, limit: limit)
  }

  /// Sends the answer.
  func send(
    _ assertions: [EncodedAssertion], _ challenge: Challenge, _ context: ResponseContext, _ fields: [HTTPField]
  ) async throws(OperationError) -> Authorization {
    let response = UAFResponse(
      header: challenge.header, finalChallengeParameters: challenge.parameters, assertions: assertions)
    let message: UAFMessage =
      challenge.header.operation == .registration ? .registrationResponse(response) : .authenticationResponse(response)
    return try await connection.respond(path, message, context, fields)
  }

  /// Runs the rest of an operation. A failure of the client is reported to the server with an answer without assertions,
  /// so that its status is known there. The report is not waited for longer than 10 s, and its failure is ignored.
  func reporting<Value: Sendable>(
    _ challenge: Challenge, _ fields: [HTTPField], _ body: () async throws(OperationError) -> Value
  ) async throws(OperationError) -> Value {
    do throws(OperationError) {
      return try await body()
    } catch {
      if let report = error.report {
        let limits = HTTPLimits(time: .seconds(10), bodyCount: connection.limits.bodyCount)
        let hasty = ServerConnection(http: connection.http, origin: connection.origin, limits: limits)
        let exchange = UAFExchange(client: client, connection: hasty, path: path)
        _ = try? await exchange.send([], challenge, report, fields)
      }
      throw error
    }
  }
}

extension MobileAuthenticationClient {
  /// Verifies the holder of the device under rules for a key, and signs.
  func sign(
    _ octets: [UInt8], under rules: ProtectedKeyRules, _ key: RegistrationKey, _ context: DevicePromptRequest,
    _ text: any DevicePromptText, within limit: InteractionLimit
  ) async throws(AuthenticatorError) -> [UInt8] {
    let prompt = try await limit.answer { () async throws(InteractionCancelled) in try await text.promptText(context) }
    let verifier = keys.verifier(rules, key: key.record, within: limit)
    let permit = try await SigningPermit.verifying(
      verifier, key, in: device.ports.keys, prompt: prompt, validity: configuration.secrets.interactionLimit)
    await text.validCredentialsProvided(context)
    return try await permit.signature(of: octets)
  }
}
