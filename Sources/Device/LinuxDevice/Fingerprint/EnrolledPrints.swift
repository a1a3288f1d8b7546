internal import Crypto
internal import Foundation
internal import Octets

/// The prints that fprintd stores for a user, for a digest that changes when a finger is enrolled anew under the same name.
///
/// fprintd keeps each print in `STORE/USER/DRIVER/READER/FINGER`, readable for root only.
struct EnrolledPrints: Sendable {
  let store: String
  let user: String

  /// The largest file that is read, in octets, and the largest number of files; prints have a few kilobytes.
  private static let (largestFile, mostFiles) = (1 << 20, 256)

  /// Returns the digest of an enrolment: SHA-256 over the names of the fingers and, where this program may read them, the
  /// stored prints.
  func digest(of fingers: [String]) -> [UInt8] {
    var hash = SHA256()
    for finger in fingers.sorted() { Self.add(Array(finger.utf8), to: &hash) }
    for (name, content) in files() {
      Self.add(Array(name.utf8), to: &hash)
      Self.add(content, to: &hash)
    }
    return Array(hash.finalize())
  }

  /// Adds octets behind their number, so that no two lists give the same octets.
  private static func add(_ octets: [UInt8], to hash: inout SHA256) {
    hash.update(data: UInt64(octets.count).bigEndianOctets)
    hash.update(data: octets)
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
