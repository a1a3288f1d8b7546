/// A device that the operator has deactivated. It holds for the account or the wallet beyond the removal of the device, until
/// the operator lifts it.
struct DeactivationRecord: StoredRecord, Hashable {
  static let table = RecordTable("deactivation", identity: ["kind", "owner", "deviceID"])

  /// For which user a device is deactivated.
  enum Owner: Hashable, Sendable {
    /// An account of authenticators.
    case account(String)
    /// The identifier of a wallet.
    case wallet(String)
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

extension DeactivationRecord.Owner: Codable {
  private enum Column: String, CodingKey { case kind, owner }

  /// The kinds of owners in the database.
  enum Kind: String, StoredValue, Codable { case account, wallet }

  var kind: Kind {
    switch self {
    case .account: .account
    case .wallet: .wallet
    }
  }

  var name: String {
    switch self {
    case .account(let name), .wallet(let name): name
    }
  }

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: Column.self)
    let name = try row.decode(String.self, forKey: .owner)
    switch try row.decode(Kind.self, forKey: .kind) {
    case .account: self = .account(name)
    case .wallet: self = .wallet(name)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var row = encoder.container(keyedBy: Column.self)
    try row.encode(kind, forKey: .kind)
    try row.encode(name, forKey: .owner)
  }
}
