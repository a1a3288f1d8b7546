internal import AccessMessages

/// The paths of the operator's page. A GET shows a page, a POST is a form of that page.
enum PagePath {
  /// GET: the form. POST: logs in.
  static let login = "/operator/login"
  /// POST: logs out.
  static let logout = "/operator/logout"
  /// GET: the users.
  static let users = "/operator"
  /// GET: the devices. POST: activates or deactivates the device of an account.
  static let devices = "/operator/devices"
  /// POST: activates or deactivates the device of a wallet.
  static let walletDevices = "/operator/wallet-devices"
  /// GET: the cards. POST: suspends or resumes one.
  static let cards = "/operator/cards"
  /// GET: the pending operations. POST: sends one again.
  static let operations = "/operator/operations"
  /// GET: the last taps, and the payments that were not approved.
  static let taps = "/operator/taps"
  /// GET: the audit trail.
  static let audit = "/operator/audit"
  /// GET: what a text was found in.
  static let search = "/operator/search"
  /// GET: a user with devices and cards.
  static let user = "/operator/user"
  /// GET: asks for a confirmation. POST: unlinks a device from its wallet.
  static let unlinking = "/operator/unlink"
  /// GET: asks for a confirmation. POST: removes a device from its account, with its keys.
  static let removal = "/operator/remove"

  /// The page of a user.
  static func user(_ name: String) -> String { user.query([("name", name)]) }
}

extension MediaType {
  static let html = "text/html"
}
