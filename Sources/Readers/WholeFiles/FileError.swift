internal import Foundation
internal import Links

/// A file that cannot be read or written, with the reason.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path, the reason, and what to do.
  public let description: String

  /// Creates an error.
  public init(description: String) { self.description = description }

  /// The system's text for an error of Foundation, such as "No such file or directory".
  public static func reason(_ error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    guard let cause = cause.map({ $0 as NSError }), cause.domain == NSPOSIXErrorDomain else {
      return error.localizedDescription
    }
    return systemErrorText(Int32(truncatingIfNeeded: cause.code))
  }
}
