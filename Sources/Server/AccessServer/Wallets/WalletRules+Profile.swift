internal import AccessMessages
internal import ServerStore

extension WalletRules {
  /// What the issuer keeps of the user of a session.
  func profile(_ request: SignedRequest) throws(AccessError) -> WalletProfile {
    try wallet(session(request, of: try signingDevice(request)).wallet).profile
  }

  /// Changes the names and the telephone number of the user of a session.
  ///
  /// - Throws: A refusal: `notLoggedIn`, and `requirementsNotMet` also for another e-mail address, which is the user
  ///   name: cards, devices and sessions are kept under it.
  func changeProfile(_ change: ProfileChange, _ request: SignedRequest) throws(AccessError) -> WalletProfile {
    let device = try signingDevice(request)
    var wallet = try wallet(session(request, of: device).wallet)
    if let email = change.email, EnteredForm.userName(email) != wallet.userName {
      throw .refused(.requirementsNotMet, ProfileChange.fixedEmail)
    }
    if let shortcoming = change.shortcoming { throw .refused(.requirementsNotMet, "\(shortcoming)") }
    let former = wallet.profile
    wallet.firstName = change.firstName ?? wallet.firstName
    wallet.lastName = change.lastName ?? wallet.lastName
    wallet.phone = change.phone ?? wallet.phone
    guard wallet.profile != former else { return former }
    try transaction.save(wallet)
    let names = wallet.profile.names(ofChangesFrom: former).joined(separator: ", ")
    try audit(.profileChanged, names, account: wallet.userName, device: device.deviceID)
    return wallet.profile
  }
}

extension EnrolledWalletRecord {
  /// What the user may read and, except for the e-mail address, change.
  fileprivate var profile: WalletProfile {
    WalletProfile(email: userName, firstName: firstName, lastName: lastName, phone: phone)
  }
}

extension WalletProfile {
  /// The names of the members that differ.
  fileprivate func names(ofChangesFrom former: WalletProfile) -> [String] {
    [
      firstName == former.firstName ? nil : "firstName", lastName == former.lastName ? nil : "lastName",
      phone == former.phone ? nil : "phone",
    ].compactMap(\.self)
  }
}
