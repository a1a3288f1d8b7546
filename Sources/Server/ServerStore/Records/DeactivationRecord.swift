/// A device that the operator has deactivated. It holds for the account or the wallet beyond the removal of the device, until
/// the operator lifts it.
package struct DeactivationRecord: StoredRecord, Hashable {
  package static let table = RecordTable("deactivation", identity: ["kind", "owner", "deviceID"])

  /// For which user a device is deactivated.
  package struct Owner: Codable, Hashable, Sendable {
    package enum Kind: String, StoredValue, Codable { case account, wallet }
    private enum CodingKeys: String, CodingKey { case kind, name = "owner" }

    package let kind: Kind
    /// The name of the account, or the identifier of the wallet.
    package let name: String

    /// An account of authenticators.
    package static func account(_ name: String) -> Owner { Owner(kind: .account, name: name) }
    /// A wallet with an identifier.
    package static func wallet(_ id: String) -> Owner { Owner(kind: .wallet, name: id) }
  }

  /// The user.
  package var owner: Owner
  /// The identifier that the client gave.
  package var deviceID: String
  /// The identifier of the dispatch target by which the operator activates the device; nil for the device of a wallet.
  package var target: String?
  /// The name that the device had.
  package var name: String
  /// When it was deactivated.
  package var createdAt: Int64

  /// Creates a record.
  package init(owner: Owner, deviceID: String, target: String? = nil, name: String, createdAt: Int64) {
    (self.owner, self.deviceID, self.target, self.name) = (owner, deviceID, target, name)
    self.createdAt = createdAt
  }
}
