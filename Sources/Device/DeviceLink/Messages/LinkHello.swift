internal import Octets

/// The first message of both sides of a connection. Both programs come from one build, so there is one version; a
/// program of another version is refused with a sentence that names both.
package struct LinkHello: Equatable, Sendable {
  /// The version of the protocol that this build speaks.
  package static let version: UInt16 = 5
  private static let name = Array("CDEV".utf8)

  /// The version that the sender speaks.
  package let version: UInt16

  /// Creates the first message.
  package init(version: UInt16 = Self.version) { self.version = version }

  /// The name of the protocol and the version, without the frame.
  package var octets: [UInt8] { Self.name + version.bigEndianOctets }

  /// Parses a first message, also of another version, whose further fields are ignored.
  package init(_ octets: [UInt8]) throws(LinkFailure) {
    let fields = octets.dropFirst(Self.name.count)
    guard octets.starts(with: Self.name), fields.count >= 2, let version = UInt16(bigEndian: fields.prefix(2)) else {
      throw .malformed("the first message is not that of a device")
    }
    self.version = version
    guard version != Self.version || fields.count == 2 else {
      throw .malformed("\((fields.count - 2).bytes) after the version")
    }
  }
}
