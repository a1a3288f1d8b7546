internal import Glibc
internal import POSIX

/// Files of /proc, which have no size and are read to their end.
package enum SmallFile {
  /// The text of a file; nil when it cannot be read or has more than a number of bytes.
  package static func text(_ path: String, atMost limit: Int = 4 << 20) -> String? {
    do throws(SystemError) {
      let octets = try Descriptor(opening: path, O_RDONLY).read(atMost: limit)
      return octets.count > limit ? nil : String(decoding: octets, as: UTF8.self)
    } catch {
      return nil
    }
  }
}
