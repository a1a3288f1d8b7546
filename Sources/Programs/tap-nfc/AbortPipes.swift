import Foundation
import Glibc

/// The pipes through which libnfc aborts a call.
///
/// An abort of its serial drivers closes one end of a pipe, which wakes the call, makes another pipe, and forgets the
/// other end of the first one: after a thousand aborts its descriptors would leave the range of `select`.
struct AbortPipes: Sendable {
  private let inherited = Set(Self.ends.map(\.descriptor))

  /// Closes what was forgotten: the ends of pipes that have no other end here. Only while libnfc does nothing.
  func sweep() {
    let ends = Self.ends.filter { !inherited.contains($0.descriptor) }
    for end in ends where ends.count(where: { $0.pipe == end.pipe }) == 1 { close(end.descriptor) }
  }

  private static var ends: [(descriptor: Int32, pipe: String)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { name in
      guard let descriptor = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"),
        target.hasPrefix("pipe:")
      else { return nil }
      return (descriptor, target)
    }
  }
}
