import Foundation

extension Files {
  /// Writes a file as a whole or not at all. A device, a pipe or a link is written to: it must not make way for a file.
  ///
  /// - Parameter isNew: Whether a file that is there is left alone, which fails.
  static func write(_ octets: some Collection<UInt8>, to path: String, isNew: Bool = false) throws {
    let options: Data.WritingOptions =
      if isNew, isFile(path) || !isSpecial(path) {
        .withoutOverwriting
      } else if isSpecial(path) {
        []
      } else {
        .atomic
      }
    do {
      try Data(octets).write(to: URL(filePath: path), options: options)
    } catch {
      throw FileError(description: "\(path) cannot be written: \(FileError.reason(error))")
    }
  }

  /// Fails while nothing is lost yet when a file could not be written.
  static func checkRoom(at path: String) throws {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    let written = isSpecial(path) ? path : directory
    let reason: String? =
      if isDirectory(path) {
        "it is a directory"
      } else if !isDirectory(directory) {
        "there is no directory \(directory)"
      } else if !FileManager.default.isWritableFile(atPath: written) {
        "this user may not write to \(written)"
      } else {
        nil
      }
    if let reason { throw FileError(description: "\(path) cannot be written: \(reason)") }
  }

  /// Whether there is a file, or a link to one.
  static func isFile(_ path: String) -> Bool {
    kind(of: URL(filePath: path).resolvingSymlinksInPath().path) == .typeRegular
  }

  /// Whether there is something else than a file.
  private static func isSpecial(_ path: String) -> Bool { kind(of: path).map { $0 != .typeRegular } ?? false }

  private static func isDirectory(_ path: String) -> Bool {
    kind(of: URL(filePath: path).resolvingSymlinksInPath().path) == .typeDirectory
  }

  private static func kind(of path: String) -> FileAttributeType? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType
  }
}
