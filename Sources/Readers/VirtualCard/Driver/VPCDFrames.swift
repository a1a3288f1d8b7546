internal import Octets

/// Finds frames in a stream: two bytes of length, the high one first, then that many bytes.
///
/// The buffer holds the longest frame, so each length is in range and no frame allocates.
package struct VPCDFrames: ~Copyable {
  /// The longest payload: 65535 bytes, the largest value of two length bytes.
  package static let maximumPayloadCount = Int(UInt16.max)

  private var buffer = [UInt8](repeating: 0, count: 2 + Self.maximumPayloadCount)
  private var start = 0
  private var end = 0

  /// Creates an empty buffer.
  package init() {}

  /// Lends the free part of the buffer, at least one byte if no frame is complete.
  ///
  /// - Parameter body: Returns how many bytes it wrote.
  package mutating func append(_ body: (inout MutableRawSpan) -> Int) {
    compact()
    let free = end..<buffer.count
    end += buffer.withMutableOctets { octets in
      var room = octets._mutatingExtracting(free)
      let count = body(&room)
      precondition(count >= 0 && count <= free.count, "\(count) bytes written to a buffer of \(free.count)")
      return count
    }
  }

  /// Removes the next complete frame and lends its payload.
  ///
  /// - Returns: Whether there was a complete frame.
  /// - Throws: What the closure throws; the frame is removed all the same.
  package mutating func next<Failure>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) -> Bool {
    let available = end - start
    guard available >= 2 else { return false }
    let count = Int(buffer[start]) << 8 | Int(buffer[start + 1])
    guard available - 2 >= count else { return false }
    let payload = start + 2..<start + 2 + count
    start = payload.upperBound
    try body(buffer.span.extracting(payload))
    return true
  }

  private mutating func compact() {
    guard start > 0 else { return }
    for offset in start..<end { buffer[offset - start] = buffer[offset] }
    end -= start
    start = 0
  }
}
