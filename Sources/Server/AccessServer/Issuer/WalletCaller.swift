internal import JOSE
internal import JSON
internal import ServerStore

/// The device of a wallet that made a request, after its signature and its session were checked.
struct WalletCaller: Hashable {
  /// The identifier of the device.
  let deviceID: String
  /// The user of the wallet.
  let account: String
  /// The public key for messages to the device.
  let encryptionKey: JSONWebKey
}

extension IssuerRules {
  /// Checks the signature and the session of a request, and that the device is active.
  ///
  /// - Throws: A refusal: the refusals of `signingDevice`, `notLoggedIn`, `notRegistered`, `deviceInactive`.
  func walletCaller(_ request: SignedRequest) throws(AccessError) -> WalletCaller {
    let device = try wallets.signingDevice(request)
    // Before the session: the wallet suspends its cards when it learns that the device is deactivated.
    let linked = try device.requireActive()
    let session = try wallets.session(request, of: device)
    guard let json = try? JSONValue(parsing: linked.encryptionKey), let key = try? JSONWebKey(json) else {
      throw .damaged("the stored key of a device is not valid")
    }
    return WalletCaller(
      deviceID: device.deviceID, account: try wallet(session.wallet).userName, encryptionKey: key)
  }
}
