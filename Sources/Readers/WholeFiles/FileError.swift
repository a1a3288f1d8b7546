internal import Foundation
internal import Links

/// A file that cannot be read or written or has the wrong content, with the reason. Errors are equal when their
/// descriptions are.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for programs. Open: a program names its own.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// Such as `fileNotFound`.
    public let rawValue: String

    /// Creates a kind.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The path, the reason, and what to do.
  public let description: String
  /// What is wrong, for programs.
  public let kind: Kind

  /// Creates an error.
  public init(description: String, kind: Kind = .content) { (self.description, self.kind) = (description, kind) }

  /// Creates an error for a file that the system does not let this process read.
  public init(reading name: String, _ error: any Error) {
    self.init(description: "\(name) cannot be read: \(Self.reason(error))", kind: Kind(system: Self.number(error)))
  }

  /// Creates an error for a file that the system does not let this process write.
  public init(writing name: String, _ error: any Error) {
    self.init(description: "\(name) cannot be written: \(Self.reason(error))", kind: Kind(system: Self.number(error)))
  }

  /// The system's text for an error of Foundation, such as "No such file or directory".
  public static func reason(_ error: any Error) -> String {
    number(error).map(systemErrorText) ?? error.localizedDescription
  }

  /// The system's number of an error; nil for one that is not the system's.
  private static func number(_ error: any Error) -> Int32? {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    return [error, cause].compactMap { $0.map { $0 as NSError } }.first { $0.domain == NSPOSIXErrorDomain }
      .map { Int32(truncatingIfNeeded: $0.code) }
  }

  /// Compares the descriptions.
  public static func == (left: FileError, right: FileError) -> Bool { left.description == right.description }

  /// Hashes the description.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension FileError.Kind {
  /// There is no such file or directory.
  public static let notFound = Self(rawValue: "fileNotFound")
  /// The file exists, and must not be replaced.
  public static let exists = Self(rawValue: "fileExists")
  /// This user may not read or write the file, or its disk is read-only.
  public static let refused = Self(rawValue: "fileRefused")
  /// The disk is full.
  public static let noSpace = Self(rawValue: "noSpace")
  /// The file cannot be read or written for another reason.
  public static let other = Self(rawValue: "file")
  /// The file was read, and its content is wrong.
  public static let content = Self(rawValue: "failed")

  /// Creates the kind for an error of the system.
  ///
  /// - Parameter number: The error number, such as `ENOENT`; nil when it is not known.
  public init(system number: Int32?) {
    self =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case EEXIST: .exists
      case EACCES, EPERM, EROFS: .refused
      case ENOSPC, EDQUOT: .noSpace
      default: .other
      }
  }
}
