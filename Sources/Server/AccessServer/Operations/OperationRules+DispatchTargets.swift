internal import AccessMessages
internal import JOSE
internal import JSON
internal import ServerStore

extension OperationRules {
  /// Registers a device of an account.
  ///
  /// Repeating the registration of the same device with the same keys returns the same identifiers, so that a client may
  /// repeat a request whose response was lost. A device that has lost its keys registers with a new identifier and names its
  /// former one: the targets of that one are removed, and its credentials become those of the new one.
  ///
  /// - Throws: A refusal: `unauthorized`, `forbidden` for an unknown user or another user's authorization,
  ///   `nameInUse`, `unknownDispatcher`.
  func addTarget(
    _ body: DispatchTargetRegistration, _ credentials: PresentedCredentials
  ) throws(AccessError) -> DispatchTargetIdentifiers {
    try authorizeTarget(of: body.userName, credentials)
    guard try transaction.user(named: body.userName) != nil else {
      throw .refused(.forbidden, "the user is unknown")
    }
    for deviceID in [body.deviceID, body.replaces] {
      guard try !isDeactivated(deviceID, for: .account(body.userName)) else { throw .deactivated }
    }
    try checkDispatcher(body.dispatcher)
    try body.encryptionKey.requireRecipient()
    try refuseMoved(body.signatureKey)
    let (signatureKey, encryptionKey) = (body.signatureKey.json.compact, body.encryptionKey.json.compact)
    let id = newIdentifier()
    if let former = body.replaces {
      try retire(former, for: body.deviceID ?? id, of: body.userName, caller: credentials.digest)
    }
    if let known = try transaction.device(named: body.name, of: body.userName) {
      guard known.deviceID == body.deviceID, known.signatureKey == signatureKey, known.encryptionKey == encryptionKey
      else { throw .nameInUse }
      return DispatchTargetIdentifiers(id: known.id, externalID: known.externalID)
    }
    guard try transaction.devices(of: body.userName).count < RecordLimits.targets else {
      throw .refused(
        .forbidden, "the user has \(RecordLimits.targets) dispatch targets, the limit: remove one")
    }
    let device = DispatchTargetRecord(
      id: id, externalID: newIdentifier(), deviceID: body.deviceID ?? id, account: body.userName, name: body.name,
      pushTarget: body.pushTarget, dispatcher: body.dispatcher, signatureKey: signatureKey,
      encryptionKey: encryptionKey, clientVersion: body.clientVersion, createdAt: now)
    try transaction.save(device)
    try audit(.targetAdded, "succeeded", account: device.account, device: id)
    return DispatchTargetIdentifiers(id: id, externalID: device.externalID)
  }

  /// Removes the targets of a device that has lost its keys. Its credentials stay: one with a lost or locked key stays listed,
  /// and one with a key that works belongs to the new identifier.
  private func retire(_ former: String, for deviceID: String, of account: String, caller: TokenDigest?)
    throws(AccessError)
  {
    guard !former.hasSameOctets(as: deviceID) else { return }
    for device in try transaction.devices(of: account) where device.deviceID.hasSameOctets(as: former) {
      try remove(device, caller: caller)
      try audit(.targetRemoved, "replaced: its keys are lost", account: account, device: device.id)
    }
    for var credential in try transaction.credentials(of: account)
    where credential.isOf(device: former) {
      credential.deviceID = deviceID
      try transaction.save(credential)
    }
  }

  private func authorizeTarget(of account: String, _ credentials: PresentedCredentials) throws(AccessError) {
    switch try caller(credentials) {
    case .operator?: return
    case .user(let authorization)? where authorization.isOf(account): return
    case .registrant(let token)? where token.account.hasSameOctets(as: account) && token.usedAt == nil: return
    case nil: throw .refused(.unauthorized, "a dispatch target needs the authorization of its user")
    case .registrant(let token)? where token.usedAt != nil:
      throw .refused(.forbidden, "the registration token is used: authenticate, and send the authorization")
    default: throw .refused(.forbidden, "the authorization is not that of this user")
    }
  }

  private func checkDispatcher(_ name: String?) throws(AccessError) {
    guard let name, DispatchChannel(rawValue: name) == nil else { return }
    throw .refused(.unknownDispatcher, "the server does not have the dispatcher")
  }

  /// The devices of an account.
  ///
  /// - Throws: A refusal: `unauthorized`, `forbidden`, `notFound` when the account has none.
  func targets(of account: String, _ credentials: PresentedCredentials) throws(AccessError) -> DispatchTargetList {
    switch try caller(credentials) {
    case .operator?: break
    case .user(let authorization)? where authorization.isOf(account): break
    case nil: throw .refused(.unauthorized, "the list needs the operator's or the user's authorization")
    default: throw .refused(.forbidden, "the authorization is not that of this user")
    }
    let devices = try transaction.devices(of: account)
    guard !devices.isEmpty else { throw .refused(.notFound, "the user has no dispatch target") }
    return DispatchTargetList(
      devices.map { DispatchTargetList.Entry(name: $0.name, id: $0.id, dispatcher: $0.dispatcher) })
  }

  /// Changes a device, as its own signature says.
  func changeTarget(_ id: String, _ signature: String) throws(AccessError) {
    guard try transaction.device(id) != nil else { throw .refused(.notFound, "there is no such target") }
    let (verified, request) = try verifiedRequest(signature, for: .change) { $0.id == id }
    guard let change = request.change else { return }
    var device = verified
    try checkDispatcher(change.dispatcher)
    if let name = change.name, name != device.name {
      guard try transaction.device(named: name, of: device.account) == nil else {
        throw .nameInUse
      }
      device.name = name
    }
    switch change.pushTarget {
    case .enabled(let token)?: device.pushTarget = token
    case .disabled?: device.pushTarget = nil
    case nil: break
    }
    device.dispatcher = change.dispatcher ?? device.dispatcher
    try transaction.save(device)
    try audit(.targetChanged, "succeeded", account: device.account, device: id)
  }

  /// Removes a device: by its own signature, or by the authorization of its user or of the operator. Its credentials stay, and
  /// what it was given ends.
  func removeTarget(_ id: String, _ credentials: PresentedCredentials) throws(AccessError) {
    guard let device = try transaction.device(id) else {
      throw .refused(.notFound, "there is no such target")
    }
    if let signature = credentials.deviceSignature {
      _ = try verifiedRequest(signature, for: .removal) { $0.id == id }
    } else {
      try requireOwner(of: device, credentials)
    }
    try remove(device, caller: credentials.digest)
    try audit(.targetRemoved, "succeeded", account: device.account, device: id)
  }

  private func requireOwner(of device: DispatchTargetRecord, _ credentials: PresentedCredentials) throws(AccessError) {
    switch try caller(credentials) {
    case .operator?: return
    case .user(let authorization)? where authorization.isOf(device.account): return
    case nil: throw .refused(.unauthorized, "the removal needs the signature of the device")
    default: throw .refused(.forbidden, "the authorization is not that of this user")
    }
  }

  /// Removes a device with its credentials, and ends what it was given.
  ///
  /// - Parameters:
  ///   - account: The account that the device must have; nil: any.
  ///   - caller: The authorization of the request, which stays unless it was made with a key of the device; nil for the
  ///     operator.
  func removeDeviceAndCredentials(_ id: String, of account: String?, caller: TokenDigest?) throws(AccessError) {
    guard let device = try transaction.device(id), account.map({ $0.hasSameOctets(as: device.account) }) ?? true else {
      throw .refused(.notFound, "there is no such device")
    }
    let credentials = try transaction.credentials(of: device.account).filter { $0.isOf(device: device.deviceID) }
    try remove(credentials, of: device.account)
    try remove(device, caller: caller)
    try audit(.targetRemoved, "with credentials", account: device.account, device: id)
  }

  /// Removes a dispatch target, and ends what its device was given.
  func remove(_ device: DispatchTargetRecord, caller: TokenDigest?) throws(AccessError) {
    // Foreign keys remove its out-of-band tokens and used requests. Its credentials stay.
    try transaction.remove(DispatchTargetRecord.self, device.id)
    try perform(Withdrawal(subject: .device(device.deviceID), caller: caller), ofAccount: device.account)
  }
}

extension DispatchTargetRecord {
  /// The device in a list.
  var entry: DeviceList.Entry {
    DeviceList.Entry(
      id: id, deviceID: deviceID, account: account, name: name, state: state.rawValue, receivesPush: pushTarget != nil,
      createdAt: createdAt)
  }
}

extension AccessError {
  /// The operator has deactivated the device for an account of authenticators.
  static let deactivated = refused(.forbidden, "the operator has deactivated the device for this account")
  /// The user has another device of this name.
  static let nameInUse = refused(.nameInUse, "another device of the user has the name: choose another one")
}
