internal import AccessMessages
internal import ServerStore

extension OperationRules {
  /// The devices of the caller's account, for a user who lost one.
  func ownDevices(_ credentials: PresentedCredentials) throws(AccessError) -> DeviceList {
    let account = try requireUser(credentials)
    return DeviceList(try transaction.devices(of: account).map(\.entry))
  }

  /// Removes a device of the caller's account with its credentials.
  func removeOwnDevice(_ id: String, _ credentials: PresentedCredentials) throws(AccessError) {
    let account = try requireUser(credentials)
    try removeDeviceAndCredentials(id, of: account, caller: credentials.digest)
  }

  /// The credentials of the caller's account.
  func ownCredentials(_ credentials: PresentedCredentials) throws(AccessError) -> DeviceCredentials {
    let account = try requireUser(credentials)
    return DeviceCredentials(try transaction.credentials(of: account).compactMap(\.entry))
  }

  /// Removes a credential of the caller's account. The authorization of the request ends with it when it was made with this key.
  func removeOwnCredential(_ externalID: String, _ credentials: PresentedCredentials) throws(AccessError) {
    let account = try requireUser(credentials)
    let own = try transaction.credentials(of: account)
    guard let credential = own.first(where: { $0.externalID == externalID }) else {
      throw .refused(.notFound, "the user has no such credential")
    }
    try remove([credential], of: account)
    try audit(.credentialRemoved, "succeeded", account: account)
  }
}
