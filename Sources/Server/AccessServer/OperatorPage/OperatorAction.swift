internal import AccessMessages
internal import Documents
internal import FIDOUAF
internal import JOSE
internal import JSON
internal import OperatorPages
internal import ServerShell
internal import ServerStore

/// The action of a form.
struct OperatorAction: Sendable {
  let path: String
  /// The page that is shown afterwards, unless the form names another one.
  let page: String
  /// The page whose form is shown again, with its values, when the action is refused; nil for the message alone.
  var form: OperatorPage?
  let perform: @Sendable (AccessService, Call) async throws -> PageNotice

  static let all: [OperatorAction] = [
    .deviceState, .walletDeviceState, .cardState, .resend, .unlinking, .removal, .script, .scriptCancellation,
  ]
}

extension OperatorAction {
  static let deviceState = OperatorAction(path: PagePath.devices, page: PagePath.devices) { service, call in
    let (id, change) = (try call.field("id"), try call.deviceState())
    try await service.decide(call, by: OperatorRules.self) { try $0.changeState(of: id, change) }
    return change.isActive ? .deviceActivated : .deviceDeactivated
  }

  static let walletDeviceState = OperatorAction(path: PagePath.walletDevices, page: PagePath.devices) { service, call in
    let (id, change) = (try call.field("id"), try call.deviceState())
    try await service.decide(call, by: OperatorRules.self) { try $0.changeWalletDevice(id, change) }
    return change.isActive ? .deviceActivated : .deviceDeactivated
  }

  static let cardState = OperatorAction(path: PagePath.cards, page: PagePath.cards) { service, call in
    let id = try call.field("id")
    let change = try call.body(CardSuspension.init, in: ["state": JSONValue(call.field("state"))])
    try await service.decide(call, by: IssuerRules.self) { try $0.changeState(ofCard: id, change) }
    return change.state == .active ? .cardResumed : .cardSuspended
  }

  static let resend = OperatorAction(path: PagePath.operations, page: PagePath.operations) { service, call in
    guard let octets = try? [UInt8](base64URL: try call.field("id")), let digest = TokenDigest(octets) else {
      throw AccessError.refused(.malformed, "the field id is not a digest in base64url")
    }
    let (decision, body) = try await service.decide(call, by: PageRules.self) { try $0.sendAgain(digest) }
    let answer = await service.deliver(decision, body)
    guard answer.result == .dispatched else {
      throw AccessError.refused(.forbidden, "the operation was not sent again: \(answer.result.rawValue)")
    }
    return .sentAgain
  }
}

extension OperatorAction {
  static let unlinking = OperatorAction(path: PagePath.unlinking, page: PagePath.devices) { service, call in
    let (id, userName) = (try call.field("id"), try call.field("userName"))
    try await service.decide(call, by: PageRules.self) { try $0.unlinkDevice(id, of: userName) }
    return .deviceUnlinked
  }

  static let removal = OperatorAction(path: PagePath.removal, page: PagePath.devices) { service, call in
    let (id, account) = (try call.field("id"), try call.field("account"))
    try await service.decide(call, by: OperationRules.self) {
      try $0.removeDeviceAndCredentials(id, of: account, caller: nil)
    }
    return .deviceRemoved
  }
}

extension OperatorAction {
  static let script = OperatorAction(path: PagePath.scripts, page: PagePath.cards, form: .scripts) { service, call in
    let (card, script) = (try call.field("id"), try call.cardScript())
    guard script.command != .blockCard else {
      throw AccessError.refused(
        .forbidden, "CARD BLOCK cannot be lifted: order it with tap-server card script \(card) --block-card")
    }
    _ = try await service.decide(call, by: IssuerRules.self) { try $0.order(script, forCard: card) }
    return .scriptOrdered
  }

  static let scriptCancellation = OperatorAction(path: PagePath.scriptCancellation, page: PagePath.cards) {
    service, call in
    let (card, order) = (try call.field("id"), try call.field("order"))
    try await service.decide(call, by: IssuerRules.self) { try $0.cancelScript(order, ofCard: card) }
    return .scriptCancelled
  }
}

extension Call {
  fileprivate func cardScript() throws(AccessError) -> CardScript {
    guard let command = form["command"].flatMap(CardScript.Command.init) else {
      throw .refused(.malformed, "choose one of the commands")
    }
    let (tag, value) = (form["tag"] ?? "", form["value"] ?? "")
    return CardScript(command, tag: tag.isEmpty ? nil : tag, value: value.isEmpty ? nil : value)
  }

  fileprivate func deviceState() throws(AccessError) -> DeviceStateChange {
    let userName = form["userName"].map { JSONValue($0) }
    return try body(
      DeviceStateChange.init,
      in: JSONValue(members: [("state", JSONValue(try field("state"))), ("userName", userName)]))
  }
}

extension PageRules {
  /// Sends a pending push message again, with a new token: the server does not know the old one, which expires. Status and
  /// session identifier of the operation stay, so that a service that waits for it sees its result.
  ///
  /// - Throws: A refusal with code `notFound` when the operation is not pending or not a push message.
  func sendAgain(_ digest: TokenDigest) throws(AccessError) -> (DispatchDecision, DispatchRequest) {
    guard var token = try transaction.outOfBandToken(digest), token.redeemedAt == nil, token.expiresAt > now,
      token.channel == DispatchChannel.push.rawValue, let device = token.device,
      let operation = UAFOperation(rawValue: token.operation)
    else { throw .refused(.notFound, "the operation is not pending any more, or not a push message") }
    let information = try token.payload.flatMap { text throws(AccessError) in
      try PendingPayload(text: text).information
    }
    let body = DispatchRequest(
      GetUAFRequest(operation, context: token.context), dispatcher: token.channel, targetID: device,
      information: information)
    let decision = try operations.dispatchAgain(body, operation, token.origin, sessionID: token.sessionID)
    if case .dispatch = decision {
      token.expiresAt = now
      try transaction.save(token)
    }
    return (decision, body)
  }
}
