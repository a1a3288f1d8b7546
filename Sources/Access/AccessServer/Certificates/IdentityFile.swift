internal import CoreFoundation
internal import Glibc
internal import Octets

/// A file of a server's identity: read with a limit, or written aside.
struct IdentityFile {
  /// The largest file that is read, in octets: more than any chain of certificates needs.
  static let maximumCount = 65_536

  let path: String

  // The system copies the path.
  var exists: Bool { unsafe access(path, F_OK) == 0 }

  /// Reads the file.
  ///
  /// - Parameter isSecret: Whether other users must not be able to read it.
  func read(isSecret: Bool) throws(CertificateError) -> String {
    // The system copies the path and writes to `status` and `octets` during the calls only.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.systemError(path, "read") }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Self.systemError(path, "read") }
    let mode = status.st_mode & 0o777
    guard !isSecret || mode & 0o077 == 0 else {
      throw CertificateError(
        .exposed,
        "\(path) has mode \(String(mode, radix: 8)), so other users can read it: run chmod 600 \(path.shellWord)")
    }
    var octets = [UInt8](repeating: 0, count: Self.maximumCount + 1)
    var count = 0
    while count < octets.count {
      let part = unsafe octets.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      guard part >= 0 else { throw Self.systemError(path, "read") }
      guard part > 0 else { break }
      count += part
    }
    guard count <= Self.maximumCount else {
      throw CertificateError(.damaged, "\(path) has more than \(Self.maximumCount) bytes")
    }
    return String(decoding: octets.prefix(count), as: UTF8.self)
  }

  /// Writes the content to a file next to this one and flushes it. `publish` gives it the name of this file.
  func writeAside(_ content: String, isSecret: Bool) throws(CertificateError) {
    _ = unsafe unlink(aside)
    let descriptor = unsafe open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isSecret ? 0o600 : 0o644)
    guard descriptor >= 0 else { throw Self.systemError(aside, "written") }
    defer { close(descriptor) }
    let octets = Array(content.utf8)
    let written = unsafe octets.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard written == octets.count, fsync(descriptor) == 0 else { throw Self.systemError(aside, "written") }
  }

  /// Renames the file that `writeAside` has written.
  func publish() throws(CertificateError) {
    guard unsafe rename(aside, path) == 0 else { throw Self.systemError(path, "written") }
  }

  /// Removes what `writeAside` has written.
  func discard() { _ = unsafe unlink(aside) }

  private var aside: String { path + ".new" }

  static func systemError(_ path: String, _ attempt: String) -> CertificateError {
    let reason = unsafe String(cString: strerror(errno))
    return CertificateError(.inaccessible, "\(path) cannot be \(attempt): \(reason)")
  }
}
