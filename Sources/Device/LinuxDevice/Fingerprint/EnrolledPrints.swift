internal import Ciphers
internal import Foundation
internal import Octets
internal import POSIX

/// The prints that fprintd stores for a user, for a digest that changes when a finger is enrolled anew under the same name.
///
/// fprintd keeps each print in `STORE/USER/DRIVER/READER/FINGER`, readable for root only.
struct EnrolledPrints: Sendable {
  let store: String
  let user: String

  /// How much of a file is read, in bytes, and of how many files. A print has a few kilobytes, a user ten fingers.
  private static let (largestFile, mostFiles) = (1 << 16, 64)

  /// Returns the digest of an enrolment: SHA-256 over the names of the fingers and, where this program may read them, the
  /// stored prints.
  func digest(of fingers: [String]) -> [UInt8] {
    let parts = fingers.sorted().map { Array($0.utf8) } + files().flatMap { [Array($0.name.utf8), $0.content] }
    // Each part follows its number of bytes, so that no two lists give the same bytes.
    return SHA256.digest(of: parts.flatMap { UInt64($0.count).bigEndianOctets + $0 })
  }

  /// Numbers that differ after each change of the stored prints. Empty without a print.
  func marks() -> [[Int64]] {
    paths().compactMap { path in
      guard let status = try? FileStatus(of: path), status.kind == .regular else { return nil }
      return status.mark
    }
  }

  private func files() -> [(name: String, content: [UInt8])] {
    paths().compactMap { path in
      guard let file = FileHandle(forReadingAtPath: path), let content = try? file.read(upToCount: Self.largestFile)
      else { return nil }
      return (String(path.dropFirst(root.count + 1)), Array(content))
    }
  }

  private var root: String { "\(store)/\(user)" }

  /// The files and folders below that of the user.
  private func paths() -> [String] {
    // A user's name is one component of the path.
    guard !user.isEmpty, user != ".", user != "..", !user.contains("/") else { return [] }
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return names.sorted().prefix(Self.mostFiles).map { "\(root)/\($0)" }
  }
}
