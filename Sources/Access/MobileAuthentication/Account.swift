internal import AccessMessages
public import FIDOUAF

/// A user of one server. A user name belongs to one server only on a device.
///
/// Accounts are compared by the bytes of their user names, as the server compares them.
public struct Account: Hashable, Sendable {
  /// The user name, 1...128 characters.
  public let username: String
  /// The server's origin, such as `https://example.org:8443`.
  public let server: String

  /// Creates an account.
  public init(username: String, server: String) {
    self.username = username
    self.server = server
  }

  /// Returns whether the servers are equal, and the bytes of the user names.
  public static func == (first: Account, second: Account) -> Bool {
    first.username.hasSameOctets(as: second.username) && first.server == second.server
  }

  /// Hashes the bytes of the user name and the server.
  public func hash(into hasher: inout Hasher) {
    for octet in username.utf8 { hasher.combine(octet) }
    hasher.combine(server)
  }
}

/// An account with what its server knows about this device.
public struct AccountRecord: Equatable, Sendable {
  /// The account.
  public let account: Account
  /// The server's identifier of this device for the account (dispatch target); nil until the server has given one, also
  /// after the device has lost its keys.
  public var dispatchTarget: String?
  /// The identifier that the server knows of this device from before the device lost its keys, until the account's next
  /// authorised operation replaces it there; nil otherwise.
  public var formerDeviceID: String?

  /// The authenticators of this device that the server's policy of the last authentication accepted, registered ones; nil
  /// before one.
  public var acceptedAuthenticators: [AAID]?
}
