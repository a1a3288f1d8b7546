import Glibc
import Octets
import POSIX

/// A file or folder that an argument names: the one with this path, or else the installed example with this name.
enum NamedFile {
  /// The path of the file; the name itself when neither the file nor such an example exists.
  static func path(_ name: String, among examples: InstalledExamples? = .ofThisProgram) -> String {
    isMissing(name) ? examples?.path(of: name) ?? name : name
  }

  /// The path of the file.
  ///
  /// - Throws: `FileError` with the nearest names, when neither the file nor such an example exists. Without installed
  ///   examples, and for an absolute path, nothing is thrown, and the name is returned: reading it fails with the reason.
  static func existing(
    _ name: String, among examples: InstalledExamples? = .ofThisProgram
  ) throws(FileError) -> String {
    let path = path(name, among: examples)
    guard path == name, let examples, !name.hasPrefix("/"), isMissing(name) else { return path }
    let near = examples.names(near: name)
    let guess = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    throw FileError(
      description: """
        \(name.visible()) cannot be read: there is no such file, and no such example in \(examples.folder).\(guess) tap \
        examples lists them all
        """, code: .notFound)
  }

  /// The whole content of the file.
  ///
  /// - Throws: `FileError` with the reason.
  static func read(_ name: String) throws(FileError) -> [UInt8] { try InputFile.read(existing(name)) }

  /// The content of the file, which is text, without a byte order mark.
  ///
  /// - Throws: `FileError` with the reason.
  static func text(_ name: String) throws(FileError) -> [UInt8] { try InputFile.text(existing(name)) }

  /// Whether there is no such file, and no link of that name. A file that this user may not reach is not missing.
  private static func isMissing(_ name: String) -> Bool {
    do throws(SystemError) {
      _ = try FileStatus(of: name, followsLinks: false)
      return false
    } catch { return [ENOENT, ENOTDIR].contains(error.number) }
  }
}
