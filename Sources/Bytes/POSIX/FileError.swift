internal import Foundation
internal import Glibc
internal import Octets

/// A file that cannot be read or written, with the reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of the reason, for programs.
  public enum Code: Hashable, Sendable {
    /// There is no such file or directory.
    case notFound
    /// A file exists and must not be replaced.
    case exists
    /// This user may not read or write the file, or its disk is read-only.
    case refused
    /// The disk is full.
    case noSpace
    /// Another reason.
    case other

    fileprivate init(system number: Int32?) {
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

  /// The path, the reason, and what to do.
  public let description: String
  /// The kind of the reason.
  public let code: Code

  /// Creates an error.
  public init(description: String, code: Code = .other) {
    (self.description, self.code) = (description, code)
  }

  /// A file that the system does not let this process read.
  ///
  /// - Parameter error: An error of Foundation.
  public init(reading name: String, _ error: any Error) {
    let number = Self.number(error)
    self.init(description: "\(name.visible()) cannot be read: \(Self.reason(error))", code: Code(system: number))
  }

  /// A file that the system does not let this process write.
  ///
  /// - Parameter error: An error of Foundation.
  public init(writing name: String, _ error: any Error) {
    let number = Self.number(error)
    self.init(description: "\(name.visible()) cannot be written: \(Self.reason(error))", code: Code(system: number))
  }

  /// A file that a system function did not write.
  ///
  /// - Parameter error: The error, such as `ENOSPC`.
  init(writing name: String, system error: SystemError) {
    self.init(description: "\(name.visible()) cannot be written: \(error)", code: Code(system: error.number))
  }

  /// The system's text for an error of Foundation, such as "No such file or directory".
  public static func reason(_ error: any Error) -> String {
    number(error).map { "\(SystemError($0))" } ?? error.localizedDescription
  }

  /// The system's number of an error; nil for one that is not the system's.
  private static func number(_ error: any Error) -> Int32? {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    return [error, cause].compactMap { $0.map { $0 as NSError } }.first { $0.domain == NSPOSIXErrorDomain }
      .map { Int32(truncatingIfNeeded: $0.code) }
  }
}
