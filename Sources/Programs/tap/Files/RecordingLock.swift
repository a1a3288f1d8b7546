import Foundation
import POSIX
import ProgramSupport

/// Keeps a directory of recordings for one run of `tap test` at a time.
enum RecordingLock {
  /// Makes the directory, unless it is there, and locks it until the last reference or the end of the program.
  ///
  /// - Returns: Nil for a directory that cannot be made: to write into it fails with the reason. Also nil, after a note on
  ///   standard error, for a directory that cannot be locked, such as one on a file system without locks.
  /// - Throws: `InputError` while another process has the lock.
  static func take(_ directory: String) throws -> FileLock? {
    try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    do throws(SystemError) {
      return try FileLock(directory, flags: O_RDONLY | O_DIRECTORY, within: .zero)
    } catch {
      guard !error.isBusy else {
        throw InputError(
          description: "\(directory): another tap test records here: wait for its end, or use another directory")
      }
      if ![ENOENT, ENOTDIR].contains(error.number) {
        Console.note("\(directory) cannot be locked (\(error)): do not run a second tap test with it")
      }
      return nil
    }
  }
}
