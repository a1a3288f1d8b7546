import Foundation
import Glibc

/// The pipes through which libnfc aborts a call.
///
/// WORKAROUND: libnfc 1.8: an abort of its serial drivers closes one end of a pipe, which ends the call, creates
/// another pipe, and never closes the other end of the first one. After a thousand aborts its descriptors would be too
/// large for `select`.
struct AbortPipes: Sendable {
  private let inherited = Set(Self.ends.map(\.descriptor))

  /// Closes the ends of pipes whose other end is not open in this process. Call it only while no call of libnfc runs.
  func closeLeftOvers() {
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
