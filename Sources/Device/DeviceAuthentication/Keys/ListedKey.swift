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

  /// Creates an entry.
  public init(identifier: KeyIdentifier, kind: ProtectedKeyKind?, isCounting: Bool) {
    self.identifier = identifier
    self.kind = kind
    self.isCounting = isCounting
  }
}
