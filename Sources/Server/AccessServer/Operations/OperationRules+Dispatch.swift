internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import QRCode
internal import ServerStore

/// A dispatch that a rule has recorded, before its dispatcher acts.
struct Dispatched: Sendable {
  let channel: DispatchChannel
  let token: String
  let sessionID: String
  let payload: OutOfBandPayload
  /// The device, or nil when the token is not addressed to one.
  let device: DispatchTargetRecord?
}

/// The decision of a rule about a dispatch.
enum DispatchDecision: Sendable {
  case dispatch(Dispatched)
  case failed(DispatchResponse.Result)
}

extension OperationRules {
  /// Decides about a dispatch, and records its token.
  ///
  /// - Throws: A refusal when the caller is neither the operator nor the user of the account.
  func dispatch(
    _ body: DispatchRequest, _ operation: UAFOperation, _ credentials: PresentedCredentials
  ) throws(AccessError) -> DispatchDecision {
    guard body.request.operation == operation else {
      throw .refused(.malformed, "op must be \(operation.rawValue) at this path")
    }
    var context = try Self.context(body.request.context)
    let authorization = try authorizeDispatch(for: context.userName, credentials)
    if operation == .registration { context.userName = try context.userName.map(accountName) }
    guard let channel = DispatchChannel(rawValue: body.dispatcher) else { return .failed(.dispatcherNotFound) }
    let isUserNeeded = operation != .authentication || channel == .push
    if let account = context.userName {
      if operation != .registration, try transaction.user(named: account) == nil { return .failed(.userNotFound) }
    } else if isUserNeeded, body.targetID == nil {
      return .failed(.userNotFound)
    }
    let target = try target(of: body, channel, context.userName)
    if let refusal = target.refusal { return .failed(refusal) }
    if let device = target.device { context.userName = device.account }
    if operation != .authentication, context.userName == nil { return .failed(.userNotFound) }
    let deviceID = target.device?.deviceID
    let origin = authorization?.origin(of: deviceID) ?? DeviceOrigin(deviceID: deviceID)
    return .dispatch(try record(operation, context, channel, target.device, origin, body.information))
  }

  /// Decides about a dispatch that is repeated for the session of an operation that is pending.
  func dispatchAgain(
    _ body: DispatchRequest, _ operation: UAFOperation, _ origin: DeviceOrigin, sessionID: String
  ) throws(AccessError) -> DispatchDecision {
    guard let channel = DispatchChannel(rawValue: body.dispatcher) else { return .failed(.dispatcherNotFound) }
    let context = try Self.context(body.request.context)
    let target = try target(of: body, channel, context.userName)
    if let refusal = target.refusal { return .failed(refusal) }
    return .dispatch(
      try record(operation, context, channel, target.device, origin, body.information, sessionID: sessionID))
  }

  /// Reads the context of a body.
  static func context(_ text: String?) throws(AccessError) -> RequestContext {
    do throws(DocumentError) {
      return try RequestContext(text: text)
    } catch {
      throw .refused(.malformed, "\(error)")
    }
  }

  /// Returns the authorization of a user; nil for the operator.
  private func authorizeDispatch(
    for account: String?, _ credentials: PresentedCredentials
  ) throws(AccessError) -> AuthorizationRecord? {
    switch try caller(credentials) {
    case .operator?: return nil
    case .user(let authorization)? where authorization.isOf(account): return authorization
    case nil: throw .refused(.unauthorized, "a dispatch needs the operator's or the user's authorization")
    default: throw .refused(.forbidden, "the authorization is not that of this user")
    }
  }

  // A push message without a named target goes to the newest device of the account that receives push messages.
  private func target(
    of body: DispatchRequest, _ channel: DispatchChannel, _ account: String?
  ) throws(AccessError) -> (device: DispatchTargetRecord?, refusal: DispatchResponse.Result?) {
    guard let id = body.targetID else {
      guard channel == .push, let account else { return (nil, nil) }
      let device = try transaction.devices(of: account).last { $0.state == .active && $0.pushTarget != nil }
      return (device, device == nil ? .dispatchTargetNotFound : nil)
    }
    guard let device = try transaction.device(id), account.map({ $0.hasSameOctets(as: device.account) }) ?? true
    else {
      return (nil, .dispatchTargetNotFound)
    }
    guard device.state == .active else { return (nil, .dispatchTargetExpired) }
    return (device, channel == .push && device.pushTarget == nil ? .dispatchTargetNotFound : nil)
  }

  private func record(
    _ operation: UAFOperation, _ context: RequestContext, _ channel: DispatchChannel, _ device: DispatchTargetRecord?,
    _ origin: DeviceOrigin, _ information: JSONValue?, sessionID: String? = nil
  ) throws(AccessError) -> Dispatched {
    try checkDispatches(of: context.userName)
    let token = environment.newToken()
    let sessionID = sessionID ?? newIdentifier()
    let payload = try payload(token, operation, for: device)
    let expiresAt = now + configuration.lifetimes.outOfBandToken
    try transaction.save(
      OutOfBandTokenRecord(
        digest: TokenDigest(of: token), sessionID: sessionID, operation: operation.rawValue,
        account: context.userName, device: device?.id, origin: origin, channel: channel.rawValue,
        context: context.json.compact,
        payload: device == nil ? nil : PendingPayload(payload: payload, information: information).text,
        createdAt: now, expiresAt: expiresAt))
    try updateOperation(sessionID, operation, account: context.userName) { record in
      record.deadline = expiresAt
      record.dispatcher = channel.rawValue
      record.deviceExternalID = device?.externalID
    }
    try audit(.dispatch, channel.rawValue, account: context.userName, device: device?.id, sessionID: sessionID)
    return Dispatched(channel: channel, token: token, sessionID: sessionID, payload: payload, device: device)
  }

  /// Checks how many tokens of an account are not expired. Without an account only the operator dispatches.
  private func checkDispatches(of account: String?) throws(AccessError) {
    guard let account else { return }
    let present = try transaction.outOfBandTokens(ofAccount: account).map(\.expiresAt).filter { $0 > now }.sorted()
    guard present.count >= RecordLimits.dispatches else { return }
    throw .tooManyRequests(wait: present[present.count - RecordLimits.dispatches] - now)
  }

  private func payload(
    _ token: String, _ operation: UAFOperation, for device: DispatchTargetRecord?
  ) throws(AccessError) -> OutOfBandPayload {
    let data = OutOfBandPayload.RedeemData(token: token, redeemURL: environment.url + AccessPath.redeem(operation))
    guard let device else { return OutOfBandPayload(.plain(data)) }
    return OutOfBandPayload(.encrypted(try device.encrypt(data.json)))
  }
}

extension DispatchTargetRecord {
  /// Encrypts JSON for the device: a JWE with ECDH-ES+A256KW and A256GCM.
  func encrypt(_ json: JSONValue) throws(AccessError) -> String {
    try AccessError.typed {
      let key = try JSONWebKey(JSONValue(parsing: encryptionKey))
      return try JSONWebEncryption.compact(encrypting: Array(json.compact.utf8), for: key, .ecdhESA256KW, .a256GCM)
    }
  }
}

extension AccessService {
  /// Lets the dispatcher of a recorded dispatch act.
  func deliver(_ decision: DispatchDecision, _ body: DispatchRequest) async -> DispatchResponse {
    let dispatched: Dispatched
    switch decision {
    case .failed(let result): return DispatchResponse(result, dispatcher: body.dispatcher)
    case .dispatch(let operation): dispatched = operation
    }
    do {
      let response: String?
      switch dispatched.channel {
      case .link:
        let base = configuration.link ?? environment.url + "/open"
        response = "\(base)?\(OutOfBandPayload.linkParameter)=\(dispatched.payload.base64URL)"
      case .qrCode: response = try QRCode.png(of: dispatched.payload.base64URL).base64
      case .push:
        if let token = dispatched.device?.pushTarget { try await pushSender.send(dispatched.payload, to: token) }
        response = nil
      }
      return DispatchResponse(
        .dispatched, dispatcher: body.dispatcher, token: dispatched.token, sessionID: dispatched.sessionID,
        response: response)
    } catch {
      return DispatchResponse(.dispatchError, dispatcher: body.dispatcher)
    }
  }
}
