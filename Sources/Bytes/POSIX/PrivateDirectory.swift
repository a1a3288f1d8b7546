internal import Glibc

/// Creates a directory that only its owner can open.
///
/// - Parameter template: Its path, which ends with six letters X, in whose place the system puts others.
/// - Returns: The path.
package func makePrivateDirectory(_ template: String) throws(SystemError) -> String {
  var path = Array(template.utf8CString)
  // The C library replaces the six letters in the array.
  guard unsafe mkdtemp(&path) != nil else { throw SystemError() }
  return String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
