public import Documents

/// A version of the UAF protocol (FIDO UAF Protocol Specification 1.1, section 3.1.1).
public struct UAFVersion: JSONMessage, Hashable, Comparable {
  /// The numbers of the version, 0 to 65535.
  public let major, minor: UInt16

  /// Creates a version.
  public init(major: UInt16, minor: UInt16) {
    (self.major, self.minor) = (major, minor)
  }

  /// UAF 1.0.
  public static let v1_0 = UAFVersion(major: 1, minor: 0)
  /// UAF 1.1, the version of the messages that this library creates.
  public static let v1_1 = UAFVersion(major: 1, minor: 1)
  /// The versions that this library reads.
  public static let supported: Set<UAFVersion> = [.v1_0, .v1_1]

  /// Whether the first version is older.
  public static func < (first: UAFVersion, second: UAFVersion) -> Bool {
    (first.major, first.minor) < (second.major, second.minor)
  }

  /// The members of the object.
  public static let fields = MessageTable(
    Self.init(major:minor:),
    .number("major", \.major),
    .number("minor", \.minor))
}
