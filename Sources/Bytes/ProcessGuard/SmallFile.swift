internal import Glibc
internal import POSIX

/// Files of /proc, which have no size and are read to their end.
package enum SmallFile {
  private static let limit = 4 << 20

  /// The bytes of a file; nil when it cannot be read, or has more than 4 MiB.
  static func octets(_ path: String) -> [UInt8]? {
    guard let octets = try? Descriptor(opening: path, O_RDONLY).read(atMost: limit), octets.count <= limit else {
      return nil
    }
    return octets
  }

  /// The text of a file; nil when it cannot be read, or has more than 4 MiB.
  package static func text(_ path: String) -> String? { octets(path).map { String(decoding: $0, as: UTF8.self) } }
}
