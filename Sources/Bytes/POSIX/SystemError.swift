internal import Glibc
internal import SystemPackage

/// The error of a system function.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number, such as `ENOENT`.
  package let number: Int32

  /// Creates an error.
  ///
  /// - Parameter number: By default that of the last error of this thread.
  package init(_ number: Int32 = errno) { self.number = number }

  /// The system's text, such as `No such file or directory`.
  package var description: String { Errno(rawValue: number).description }
}

/// Calls functions of swift-system, which throw only `Errno`.
func calling<Value>(_ body: () throws -> Value) throws(SystemError) -> Value {
  do {
    return try body()
  } catch {
    throw SystemError((error as? Errno)?.rawValue ?? EINVAL)
  }
}
