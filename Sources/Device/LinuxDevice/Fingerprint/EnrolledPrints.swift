internal import Ciphers
internal import Foundation
internal import Octets

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

  private func files() -> [(name: String, content: [UInt8])] {
    // A user's name is one component of the path.
    guard !user.isEmpty, user != ".", user != "..", !user.contains("/") else { return [] }
    let root = "\(store)/\(user)"
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return names.sorted().prefix(Self.mostFiles).compactMap { name in
      guard let file = FileHandle(forReadingAtPath: "\(root)/\(name)"),
        let content = try? file.read(upToCount: Self.largestFile)
      else { return nil }
      return (name, Array(content))
    }
  }
}
