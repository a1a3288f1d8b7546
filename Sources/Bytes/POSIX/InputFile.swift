internal import Foundation
internal import Glibc
internal import Octets

/// Reads files, pipes and devices to their end, within a limit.
public enum InputFile {
  /// The most bytes that are read: 64 MiB.
  public static let maximumCount = 67_108_864

  /// The whole content of a file, a pipe or a device.
  ///
  /// - Throws: `FileError` with the reason, also for more than `maximumCount` bytes.
  public static func read(_ path: String) throws(FileError) -> [UInt8] {
    try read(named: path) {
      if isPipe(path) { hint("Waiting for a program that writes to the pipe \(path.visible()) ...") }
      return try FileHandle(forReadingFrom: URL(filePath: path))
    }
  }

  /// The content of a file of text, without the byte order mark that some editors put before it.
  ///
  /// - Throws: `FileError`, as `read(_:)`.
  public static func text(_ path: String) throws(FileError) -> [UInt8] {
    let octets = try read(path)
    return octets.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(octets.dropFirst(3)) : octets
  }

  /// All of standard input.
  ///
  /// - Throws: `FileError`, as `read(_:)`.
  public static func standardInput() throws(FileError) -> [UInt8] {
    try read(named: "standard input") {
      if isatty(STDIN_FILENO) == 1 { hint("Reading from the terminal: Ctrl-D on an empty line ends the input.") }
      return .standardInput
    }
  }

  /// Returns whether a path, or the target of a link, is a directory.
  public static func isDirectory(_ path: String) -> Bool { (try? FileStatus(of: path))?.kind == .directory }

  private static func isPipe(_ path: String) -> Bool { (try? FileStatus(of: path))?.kind == .pipe }

  /// Writes what is waited for to a terminal on standard error. Opening a pipe waits without a limit for its writer.
  private static func hint(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  private static func read(named name: String, _ open: () throws -> FileHandle) throws(FileError) -> [UInt8] {
    var octets: [UInt8] = []
    do {
      let file = try open()
      while octets.count <= maximumCount, let part = try file.read(upToCount: 1 << 20), !part.isEmpty { octets += part }
    } catch {
      throw FileError(reading: name, error)
    }
    guard octets.count <= maximumCount else {
      throw FileError(description: "\(name) has too many bytes: the limit is \(maximumCount)")
    }
    return octets
  }
}
