internal import Foundation
internal import Glibc
public import Links
internal import POSIX

/// A symbolic link to the socket of a `PrivateReaderService`, at a path that is known before the service runs.
public struct SocketLink: Sendable {
  /// The longest path in bytes: the client library copies it into the 108 bytes of a socket's address, and cuts off the
  /// rest without an error.
  public static let maximumPathCount = 107

  /// The absolute path, the value for `PCSCLITE_CSOCK_NAME`.
  public let path: String
  private let target: String

  /// Creates the link. Replaces a link to the socket of a service that is gone, as a program leaves it that was killed.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the current directory.
  ///   - service: The service, whose socket the link names.
  /// - Throws: `LinkError.serviceUnavailable` when the path is too long, when something else is there, and when the folder
  ///   does not exist or permits no link.
  public init(at path: String, to service: PrivateReaderService) throws(LinkError) {
    self.path = URL(filePath: path).standardizedFileURL.path
    target = service.socketPath
    guard self.path.utf8.count <= Self.maximumPathCount else {
      throw LinkError(
        .serviceUnavailable,
        """
        the path of the socket, \(self.path), has \(self.path.utf8.count) bytes, and at most \(Self.maximumPathCount) are \
        possible: name a file in another folder
        """)
    }
    if Self.isLeftOver(self.path) { _ = unsafe unlink(self.path) }
    guard unsafe symlink(target, self.path) == 0 else {
      let number = errno
      let reason = number == EEXIST ? "it exists: name another file" : "\(SystemError(number))"
      throw LinkError(.serviceUnavailable, "the socket \(self.path) cannot be made: \(reason)")
    }
  }

  /// Removes the link, unless another program has put something else in its place.
  public func remove() {
    guard Self.target(of: path) == target else { return }
    _ = unsafe unlink(path)
  }

  private static func isLeftOver(_ path: String) -> Bool {
    guard let target = target(of: path), PrivateReaderService.isSocketPath(target) else { return false }
    return !FileManager.default.fileExists(atPath: path)
  }

  private static func target(of path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }
}
