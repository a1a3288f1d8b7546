/// A device that the operator has deactivated. It holds for the account or the wallet beyond the removal of the device, until
/// the operator lifts it.
struct DeactivationRecord: StoredRecord, Hashable {
  static let table = RecordTable("deactivation", identity: ["kind", "owner", "deviceID"])

  /// For which user a device is deactivated.
  struct Owner: Codable, Hashable, Sendable {
    enum Kind: String, StoredValue, Codable { case account, wallet }
    private enum CodingKeys: String, CodingKey { case kind, name = "owner" }

    let kind: Kind
    /// The name of the account, or the identifier of the wallet.
    let name: String

    /// An account of authenticators.
    static func account(_ name: String) -> Owner { Owner(kind: .account, name: name) }
    /// A wallet with an identifier.
    static func wallet(_ id: String) -> Owner { Owner(kind: .wallet, name: id) }
  }

  /// The user.
  var owner: Owner
  /// The identifier that the client gave.
  var deviceID: String
  /// The identifier of the dispatch target by which the operator activates the device; nil for the device of a wallet.
  var target: String?
  /// The name that the device had.
  var name: String
  /// When it was deactivated.
  var createdAt: Int64
}
