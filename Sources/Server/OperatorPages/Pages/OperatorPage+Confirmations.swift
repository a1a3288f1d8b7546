internal import AccessMessages
internal import DisplayText
internal import Octets
internal import ServerShell
internal import ServerStore

/// The pages that ask for a confirmation of an action that cannot be undone. The form names the user that the page has shown: the device
/// may have another one when the form is sent.
extension OperatorPage {
  /// Before a device is unlinked from its wallet.
  static let unlinking = OperatorPage(path: PagePath.unlinking, title: "Unlink a device?", section: PagePath.devices) {
    page, request in
    let (device, wallet) = try page.facts.linkedDevice(request.call.parameter("id", 1...128) ?? "")
    let cards = try page.transaction.cardCount(of: wallet.userName, onDevice: device.deviceID)
    return request.confirmation(
      """
      <p>Device: <b>\(device.name)</b> (\(device.deviceID))</p><p>User: \(try page.person(wallet.userName))</p>
      <ul><li>Its sessions end at once.</li><li>\(cards.counted("card")) of the device will be deleted for good.</li>
      <li>The user can link the device again and add other cards.</li></ul>
      """, "Unlink", PagePath.unlinking, [("id", device.deviceID), ("userName", wallet.userName)],
      afterwards: wallet.userName)
  }

  /// Before a device is removed from an account.
  static let removal = OperatorPage(path: PagePath.removal, title: "Remove a device?", section: PagePath.devices) {
    page, request in
    guard let device = try page.transaction.device(request.call.parameter("id", 1...128) ?? "") else {
      throw AccessError.refused(.notFound, "there is no such device")
    }
    let keys = try page.transaction.credentials(of: device.account).count { $0.isOf(device: device.deviceID) }
    return request.confirmation(
      """
      <p>Device: <b>\(device.name)</b> (\(device.id))</p><p>Account: <a href="\(PagePath.user(device.account))">\
      \(device.account)</a></p>
      <ul><li>Its authorizations and pending operations end at once.</li>
      <li>\(keys.counted("key")) of the device will be deleted for good.</li>
      <li>With another key of the account, or a token of <code>tap-server user token</code>, the user can register the device
      again. To refuse it, deactivate it before it is removed.</li></ul>
      """, "Remove", PagePath.removal, [("id", device.id), ("account", device.account)], afterwards: device.account)
  }
}

extension PageRequest {
  /// The question before an action that cannot be undone.
  ///
  /// - Parameter user: The user whose page is shown afterwards, and by the link that cancels.
  fileprivate func confirmation(
    _ description: HTML, _ button: String, _ action: String, _ fields: [(name: String, value: String)],
    afterwards user: String
  ) -> HTML {
    let action = action.query([("name", user), (Self.pageParameter, PagePath.user)])
    return """
      <div class="confirmation">\(description)
      <p><strong>This cannot be undone.</strong></p>
      <div class="choice">\(PageFrame.button(button, action, fields, session))
      <a href="\(PagePath.user(user))">Cancel</a></div></div>
      """
  }
}
