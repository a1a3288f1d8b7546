internal import AccessMessages
internal import FIDOUAF
internal import JOSE
internal import JSON

extension Rules {
  /// Adds a user unless there is one, and makes a registration token.
  func addUser(_ body: UserAddition, _ credentials: PresentedCredentials) throws -> AddedUser {
    try requireOperator(credentials)
    if try transaction.user(named: body.name) == nil {
      try transaction.save(UserRecord(name: body.name, createdAt: now))
    }
    let token = newToken()
    let expiresAt = now + configuration.lifetimes.registrationToken
    try transaction.save(
      RegistrationTokenRecord(
        digest: TokenDigest(of: token), account: body.name, createdAt: now, expiresAt: expiresAt))
    try audit(.userAdded, "succeeded", account: body.name)
    return AddedUser(name: body.name, registrationToken: token, expiresAt: expiresAt)
  }

  /// The devices of an account, or a page of all devices.
  func listDevices(
    of account: String?, after id: String?, _ credentials: PresentedCredentials
  ) throws -> DeviceList {
    try requireOperator(credentials)
    if let account { return DeviceList(try transaction.devices(of: account).map(\.entry)) }
    let page = try transaction.devices(after: id, limit: Self.pageCount)
    return DeviceList(page.map(\.entry), next: page.count == Self.pageCount ? page.last?.id : nil)
  }

  /// The most devices of one page.
  static let pageCount = 500

  /// Activates or deactivates a device. Deactivation withdraws the authorizations of its account.
  func changeState(of id: String, _ body: DeviceStateChange, _ credentials: PresentedCredentials) throws {
    try requireOperator(credentials)
    guard var device = try transaction.device(id) else { throw AccessFailure(.notFound, "there is no such device") }
    device.state = body.isActive ? .active : .inactive
    try transaction.save(device)
    if !body.isActive { try transaction.removeAuthorizations(of: device.account) }
    try audit(.deviceStateChanged, device.state.rawValue, account: device.account, device: id)
  }

  /// Removes a device with its credentials, for the operator.
  func removeDevice(_ id: String, _ credentials: PresentedCredentials) throws {
    try requireOperator(credentials)
    try removeDeviceAndCredentials(id, of: nil)
  }

  /// Removes a device with its credentials, and withdraws the authorizations of its account.
  ///
  /// - Parameter account: The account that the device must have; nil: any.
  func removeDeviceAndCredentials(_ id: String, of account: String?) throws {
    guard let device = try transaction.device(id), account == nil || device.account == account else {
      throw AccessFailure(.notFound, "there is no such device")
    }
    for credential in try transaction.credentials(of: device.account) where credential.deviceID == device.deviceID {
      try transaction.removeCredential(aaid: credential.aaid, keyID: credential.keyID)
    }
    try transaction.removeDevice(id)
    if account == nil { try transaction.removeAuthorizations(of: device.account) }
    try audit(.targetRemoved, "with credentials", account: device.account, device: id)
  }

  /// The newest entries of the audit trail.
  func auditTrail(limit: Int, _ credentials: PresentedCredentials) throws -> JSONValue {
    try requireOperator(credentials)
    let entries = try transaction.auditEntries(limit: limit).map { entry in
      JSONValue(members: [
        ("at", JSONValue(entry.at)), ("event", JSONValue(entry.event)), ("result", JSONValue(entry.result)),
        ("account", entry.account.map { JSONValue($0) }), ("device", entry.device.map { JSONValue($0) }),
        ("sessionId", entry.sessionID.map { JSONValue($0) }), ("address", entry.address.map { JSONValue($0) }),
      ])
    }
    return ["entries": JSONValue(entries)]
  }
}

extension DeviceRecord {
  /// The device in a list.
  var entry: DeviceList.Entry {
    DeviceList.Entry(
      id: id, deviceID: deviceID, account: account, name: name, state: state.rawValue, receivesPush: pushTarget != nil,
      createdAt: createdAt)
  }
}
