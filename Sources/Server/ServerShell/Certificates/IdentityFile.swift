internal import DisplayText
internal import Octets
internal import POSIX

/// A file of a server's identity: read with a limit, or written.
struct IdentityFile {
  /// The largest file that is read, in bytes: more than any chain of certificates needs.
  static let maximumCount = 65_536

  let path: String

  private var file: WholeFile { WholeFile(path) }

  var exists: Bool { file.exists }

  /// Reads the file.
  ///
  /// - Parameter isSecret: Whether other users must not be able to read it.
  func read(isSecret: Bool) throws(CertificateError) -> String {
    let content: WholeFile.Content
    do throws(SystemError) {
      content = try file.read(atMost: Self.maximumCount)
    } catch { throw Self.systemError(path, "read", error) }
    guard !isSecret || !content.isExposed else {
      let mode = String(content.permissions & 0o777, radix: 8)
      throw CertificateError(
        .exposed, "\(path) has mode \(mode), so other users can read it: run chmod 600 \(path.shellWord)")
    }
    guard content.bytes.count <= Self.maximumCount else {
      throw CertificateError(.damaged, "\(path) has more than \(Self.maximumCount) bytes")
    }
    return String(decoding: content.bytes, as: UTF8.self)
  }

  /// Writes a new file, whole and durably.
  func write(_ content: String, isSecret: Bool) throws(CertificateError) {
    do throws(SystemError) {
      try file.write(Array(content.utf8), mode: isSecret ? 0o600 : 0o644)
    } catch { throw Self.systemError(path, "written", error) }
  }

  /// Removes the file.
  func remove() { try? file.remove() }

  static func systemError(
    _ path: String, _ attempt: String, _ error: SystemError = SystemError()
  ) -> CertificateError {
    CertificateError(.inaccessible, "\(path) cannot be \(attempt): \(error)")
  }
}
