/// A key in the list of a device.
public struct ListedKey: Codable, Equatable, Sendable {
  /// The most keys that a device of this machine stores for one user.
  package static let limit = 256

  /// The key.
  public let identifier: KeyIdentifier
  /// Its kind; nil when the device cannot read its file.
  public let kind: ProtectedKeyKind?
  /// Whether it has a counter.
  public let isCounting: Bool
  /// The value to which the device has raised the counter last. A counter that is higher was raised by another program. Nil
  /// without a counter, and where the device keeps no such value.
  public let count: UInt64?

  /// Creates an entry.
  public init(identifier: KeyIdentifier, kind: ProtectedKeyKind?, isCounting: Bool, count: UInt64? = nil) {
    self.identifier = identifier
    self.kind = kind
    self.isCounting = isCounting
    self.count = count
  }
}
