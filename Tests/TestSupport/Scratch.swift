public import Foundation

/// A directory for the files of a test. It is removed when the value is released.
public final class Scratch: Sendable {
  /// The directory.
  public let directory: URL

  /// Creates an empty directory.
  public init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tap-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// The path of a file in the directory, whether it exists or not.
  public func path(_ name: String) -> String { directory.appending(path: name).path }

  /// Writes a file and returns its path.
  public func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }
}
