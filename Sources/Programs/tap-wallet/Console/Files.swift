import Foundation
import ProgramSupport

/// Reads the files that the options name.
enum Files {
  /// No input of the program is larger than this: 16 MiB.
  static let maximumCount = 16_777_216

  /// The content of a file, or of standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    do {
      let file = path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: path))
      var octets: [UInt8] = []
      while let part = try file.read(upToCount: 1 << 16), !part.isEmpty {
        octets += part
        guard octets.count <= maximumCount else { break }
      }
      guard octets.count <= maximumCount else {
        throw CommandFailure("File", "\(path) has too many octets: the limit is \(maximumCount)")
      }
      return octets
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      guard FileManager.default.fileExists(atPath: path) else {
        throw CommandFailure("File", "\(path): there is no such file")
      }
      throw CommandFailure("File", "\(path) cannot be read: \(error.localizedDescription)")
    }
  }

  /// Replaces a file. It is readable by its owner only.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    } catch {
      throw CommandFailure("File", "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}
