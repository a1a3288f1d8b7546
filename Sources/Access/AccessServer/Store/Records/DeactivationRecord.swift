/// A device that the operator has deactivated. It holds for the account or the wallet beyond the removal of the device, until
/// the operator lifts it.
public struct DeactivationRecord: Hashable, Sendable {
  /// For which user a device is deactivated.
  public enum Owner: Hashable, Sendable {
    /// An account of authenticators.
    case account(String)
    /// The identifier of a wallet.
    case wallet(String)
  }

  /// The user.
  public var owner: Owner
  /// The identifier that the client gave.
  public var deviceID: String
  /// The identifier of the dispatch target by which the operator activates the device; nil for the device of a wallet.
  public var target: String?
  /// The name that the device had.
  public var name: String
  /// When it was deactivated.
  public var createdAt: Int64

  /// Creates a record.
  public init(owner: Owner, deviceID: String, target: String? = nil, name: String, createdAt: Int64) {
    (self.owner, self.deviceID, self.target) = (owner, deviceID, target)
    (self.name, self.createdAt) = (name, createdAt)
  }
}
