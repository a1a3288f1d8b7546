import POSIX
import ProgramSupport
import WholeFiles

/// Reads the files that the options name.
enum Files {
  /// The content of a file, or of standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    do throws(FileError) {
      return try path == "-" ? InputFile.standardInput() : InputFile.read(path)
    } catch {
      throw CommandFailure("File", error.description)
    }
  }

  /// Replaces a file, whole and durably. Only its owner can read it.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    do throws(SystemError) {
      try WholeFile(path).write(Array(text.utf8))
    } catch {
      throw CommandFailure("File", "\(path) cannot be written: \(error)")
    }
  }
}
