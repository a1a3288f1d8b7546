internal import Octets

/// Puts frames together from a stream: two octets of length, big-endian, then so many octets.
///
/// The buffer holds the longest frame there can be, so every length is in range and nothing is ever allocated.
package struct VPCDFrames: ~Copyable {
  /// 65535: what two octets of length can state.
  package static let maximumPayloadCount = Int(UInt16.max)

  private var buffer = [UInt8](repeating: 0, count: 2 + Self.maximumPayloadCount)
  private var start = 0
  private var end = 0

  /// Creates an empty buffer.
  package init() {}

  /// Lets a closure write into the free room behind what is there, at least one octet while no frame is whole.
  ///
  /// - Parameter body: Returns how many octets it wrote.
  package mutating func append(_ body: (inout MutableRawSpan) -> Int) {
    compact()
    let free = end..<buffer.count
    end += buffer.withMutableOctets { octets in
      var room = octets._mutatingExtracting(free)
      let count = body(&room)
      precondition(count >= 0 && count <= free.count, "more octets written than there was room for")
      return count
    }
  }

  /// Takes the next whole frame, and lends its payload.
  ///
  /// - Returns: Whether there was one.
  package mutating func next(_ body: (Span<UInt8>) -> Void) -> Bool {
    let available = end - start
    guard available >= 2 else { return false }
    let count = Int(buffer[start]) << 8 | Int(buffer[start + 1])
    guard available - 2 >= count else { return false }
    let payload = start + 2..<start + 2 + count
    start = payload.upperBound
    body(buffer.span.extracting(payload))
    return true
  }

  private mutating func compact() {
    guard start > 0 else { return }
    for offset in start..<end { buffer[offset - start] = buffer[offset] }
    end -= start
    start = 0
  }
}
