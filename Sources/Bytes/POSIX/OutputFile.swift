internal import Foundation
internal import Glibc

/// The place of a command's result: a file, or a device, pipe or socket.
///
/// One rule holds for every command: a file that exists is refused unless `--force` allows to replace it. A file is
/// written whole or not at all: its bytes go into a new file beside it, which then takes its name. Devices, pipes and
/// sockets are written to directly.
public struct OutputFile: Sendable {
  /// The path as the user gave it.
  public let path: String
  /// Whether a file that exists is replaced.
  public var isReplaced: Bool

  /// Creates a value without looking at the file.
  public init(path: String, isReplaced: Bool = false) {
    (self.path, self.isReplaced) = (path, isReplaced)
  }

  private enum Target {
    /// A regular file that exists, at the end of all links.
    case existing(String)
    /// A name that is free, at the end of all links.
    case free(String)
    case directory
    case special
    /// A descriptor of this process, such as that of `/dev/stdout`.
    case descriptor(Int32)
  }

  /// Checks, before the command does anything that cannot be repeated, whether the file can be written.
  ///
  /// - Throws: `FileError` with the reason.
  public func check() throws(FileError) {
    guard !path.isEmpty else { throw FileError(description: "a file without a name cannot be written: name a file") }
    let written: String
    switch target {
    case .directory: throw failure("it is a directory")
    case .descriptor: return
    case .special: written = path
    case .existing(let file), .free(let file):
      let directory = URL(filePath: file).deletingLastPathComponent().path
      guard Self.kind(of: directory) == .typeDirectory else {
        throw failure("there is no directory \(directory)", .notFound)
      }
      if case .existing = target, !isReplaced { throw alreadyExists }
      written = directory
    }
    guard FileManager.default.isWritableFile(atPath: written) else {
      throw failure("this user may not write to \(written)", .refused)
    }
  }

  /// Writes the bytes.
  ///
  /// - Throws: `FileError` with the reason, such as "No space left on device". A file that existed is unchanged then,
  ///   and no new file is left behind.
  public func write(_ octets: some Collection<UInt8>) throws(FileError) {
    let bytes = Array(octets)
    switch target {
    case .directory: throw failure("it is a directory")
    case .descriptor(let number):
      try attempt { try FileHandle(fileDescriptor: number, closeOnDealloc: false).write(contentsOf: Data(bytes)) }
    case .special:
      try attempt {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
      }
    case .existing(let file):
      guard isReplaced else { throw alreadyExists }
      try write(bytes, at: file)
    case .free(let file): try write(bytes, at: file)
    }
  }

  private var alreadyExists: FileError {
    FileError(description: "\(path) exists: --force writes over it", code: .exists)
  }

  private func failure(_ reason: String, _ code: FileError.Code = .other) -> FileError {
    FileError(description: "\(path) cannot be written: \(reason)", code: code)
  }

  private func attempt(_ write: () throws -> Void) throws(FileError) {
    do {
      try write()
    } catch let error as FileError {
      throw error
    } catch {
      throw FileError(writing: path, error)
    }
  }

  private func write(_ bytes: [UInt8], at file: String) throws(FileError) {
    let directory = URL(filePath: file).deletingLastPathComponent()
    let draft = directory.appending(path: ".tap-\(UUID().uuidString)").path
    do throws(SystemError) {
      try WholeFile(file, draft: draft).write(bytes, mode: nil, isReplacing: isReplaced)
    } catch {
      throw error.number == EEXIST ? alreadyExists : FileError(writing: path, system: error)
    }
  }

  /// What the path leads to, through all links.
  private var target: Target {
    var place = URL(filePath: path).absoluteURL
    // As many links as Linux follows.
    for _ in 0..<40 {
      let name = place.lastPathComponent
      let directory = place.deletingLastPathComponent().resolvingSymlinksInPath()
      place = directory.appending(path: name)
      if let number = Self.ownDescriptor(in: directory.path, name) { return .descriptor(number) }
      switch Self.kind(of: place.path) {
      case nil: return .free(place.path)
      case .typeRegular: return .existing(place.path)
      case .typeDirectory: return .directory
      case .typeSymbolicLink:
        guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: place.path) else { return .special }
        place = URL(filePath: next, relativeTo: directory).absoluteURL
      default: return .special
      }
    }
    return .special
  }

  /// The number of a descriptor of this process, by its place in /proc.
  private static func ownDescriptor(in directory: String, _ name: String) -> Int32? {
    let own = ["self", String(ProcessInfo.processInfo.processIdentifier)].map { "/proc/\($0)/fd" }
    return own.contains(directory) ? Int32(name) : nil
  }

  /// What a path itself is, links not followed; nil when it does not exist.
  private static func kind(of path: String) -> FileAttributeType? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType
  }
}
