internal import AccessMessages

/// The paths of the operator's page. A GET shows a page, a POST is a form of that page.
package enum PagePath {
  /// GET: leads to the users.
  package static let root = "/"
  /// GET: the form. POST: logs in.
  package static let login = "/operator/login"
  /// POST: logs out.
  package static let logout = "/operator/logout"
  /// GET: the users.
  package static let users = "/operator"
  /// GET: the devices. POST: activates or deactivates the device of an account.
  package static let devices = "/operator/devices"
  /// POST: activates or deactivates the device of a wallet.
  package static let walletDevices = "/operator/wallet-devices"
  /// GET: the cards. POST: suspends or resumes one.
  package static let cards = "/operator/cards"
  /// GET: the pending operations. POST: sends one again.
  package static let operations = "/operator/operations"
  /// GET: the last taps, and the payments that were not approved.
  package static let taps = "/operator/taps"
  /// GET: the audit trail.
  package static let audit = "/operator/audit"
  /// GET: the orders of scripts for a card. POST: orders one.
  package static let scripts = "/operator/scripts"
  /// POST: cancels an order of a script.
  package static let scriptCancellation = "/operator/scripts/cancel"
  /// GET: the records in which a text was found.
  package static let search = "/operator/search"
  /// GET: a user with devices and cards.
  package static let user = "/operator/user"
  /// GET: asks for a confirmation. POST: unlinks a device from its wallet.
  package static let unlinking = "/operator/unlink"
  /// GET: asks for a confirmation. POST: removes a device from its account, with its keys.
  package static let removal = "/operator/remove"

  /// The page of a user.
  package static func user(_ name: String) -> String { user.query([("name", name)]) }
}

extension MediaType {
  package static let html = "text/html"
}
