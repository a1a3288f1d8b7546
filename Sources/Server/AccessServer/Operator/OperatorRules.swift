internal import AccessMessages
internal import JSON
internal import ServerStore

/// The rules of the operator.
struct OperatorRules: RequestRules {
  let scope: RequestScope

  var operations: OperationRules { OperationRules(scope: scope) }
  var wallets: WalletRules { WalletRules(scope: scope) }
}

extension OperatorRules {
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
    let page = try transaction.devices(after: id, limit: RecordLimits.page)
    guard page.count < RecordLimits.page else { return DeviceList(page.map(\.entry), next: page.last?.id) }
    return DeviceList(try page.map(\.entry) + removedDevices(transaction.accountDeactivations()))
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
