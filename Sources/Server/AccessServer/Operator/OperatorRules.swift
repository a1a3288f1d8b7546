internal import AccessMessages
internal import JSON
internal import ServerStore

extension Rules {
  /// Adds a new user, and makes a registration token.
  ///
  /// - Throws: A refusal with code `malformed`, or `exists` for a name that is taken.
  func addUser(_ body: UserAddition) throws(AccessError) -> AddedUser {
    let name = try newAccountName(body.name)
    try transaction.save(UserRecord(name: name, createdAt: now))
    return try newRegistrationToken(for: name, .userAdded)
  }

  /// Makes a further registration token for the user whose name has exactly these bytes.
  ///
  /// - Throws: A refusal with code `notFound`.
  func addUserToken(_ body: UserAddition) throws(AccessError) -> AddedUser {
    guard let user = try transaction.user(named: body.name) else {
      throw .refused(.notFound, "no user has exactly this name: tap-server user add NAME adds one")
    }
    return try newRegistrationToken(for: user.name, .userTokenMade)
  }

  private func newRegistrationToken(for name: String, _ event: AuditEvent) throws(AccessError) -> AddedUser {
    let token = environment.newToken()
    let expiresAt = now + configuration.lifetimes.registrationToken
    try transaction.save(
      RegistrationTokenRecord(
        digest: TokenDigest(of: token), account: name, createdAt: now, expiresAt: expiresAt))
    try audit(event, "succeeded", account: name)
    return AddedUser(name: name, registrationToken: token, expiresAt: expiresAt)
  }

  /// The devices of an account, or a page of all devices. The last page ends with the deactivated devices that were removed.
  func listDevices(of account: String?, after id: String?) throws(AccessError) -> DeviceList {
    if let account {
      let removed = try removedDevices(transaction.deactivations(of: .account(account)))
      return DeviceList(try transaction.devices(of: account).map(\.entry) + removed)
    }
    let page = try transaction.devices(after: id, limit: Self.pageCount)
    guard page.count < Self.pageCount else { return DeviceList(page.map(\.entry), next: page.last?.id) }
    return DeviceList(try page.map(\.entry) + removedDevices(transaction.accountDeactivations()))
  }

  /// The most devices of one page.
  static let pageCount = 500

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

  /// The newest entries of the audit trail.
  func auditTrail(limit: Int) throws(AccessError) -> JSONValue {
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

extension DispatchTargetRecord {
  /// The device in a list.
  var entry: DeviceList.Entry {
    DeviceList.Entry(
      id: id, deviceID: deviceID, account: account, name: name, state: state.rawValue, receivesPush: pushTarget != nil,
      createdAt: createdAt)
  }
}
