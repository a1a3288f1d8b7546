import Foundation
import POSIX
import ProgramSupport

/// Reads the files that the options name.
enum OptionFiles {
  /// The content of a file, or of standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    do throws(FileError) {
      return try path == "-" ? InputFile.standardInput() : InputFile.read(path)
    } catch {
      throw CommandFailure("File", of: error)
    }
  }

  /// Replaces a file, whole and durably. Only its owner can read it.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    do throws(SystemError) {
      try WholeFile(following: path).write(Array(text.utf8))
    } catch {
      throw CommandFailure("File", "\(path) cannot be written: \(error)", .error)
    }
  }

  /// Opens a file to append to it. A new one can be read by its owner only.
  static func appending(to path: String) throws(CommandFailure) -> FileHandle {
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw CommandFailure("File", "\(path) cannot be written", .error)
    }
    return file
  }
}
