public import JSON

/// A version of the UAF protocol (FIDO UAF Protocol Specification 1.1, section 3.1.1).
public struct UAFVersion: Hashable, Comparable, Sendable {
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

  /// Reads a version.
  public init(_ json: JSONValue, at path: String) throws(UAFMessageError) {
    let reader = try DictionaryReader(json, at: path)
    let limit = Int(UInt16.max)
    major = UInt16(try reader.number("major", 0...limit))
    minor = UInt16(try reader.number("minor", 0...limit))
  }

  /// The version as JSON.
  public var json: JSONValue { ["major": JSONValue(Int(major)), "minor": JSONValue(Int(minor))] }
}
