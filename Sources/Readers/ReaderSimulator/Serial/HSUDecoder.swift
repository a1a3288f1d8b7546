/// Finds frames in what a host sends. Total: any octets at all, cut anywhere.
package struct HSUDecoder: Sendable {
  /// What was found.
  package enum Finding: Equatable, Sendable {
    /// A whole frame; information frames come from the host.
    case frame(HSUFrame)
    /// A frame with a wrong length or data checksum.
    case corrupt
    /// A whole frame whose identifier is not the host's, or without any content.
    case unintelligible
  }

  private var buffer: [UInt8] = []

  /// An empty decoder.
  package init() {}

  /// How many octets wait for the rest of a frame; never more than the longest frame has.
  package var pendingCount: Int { buffer.count }

  /// Takes octets; call `next()` until it returns nil.
  package mutating func append(_ octets: some Sequence<UInt8>) {
    buffer.append(contentsOf: octets)
  }

  /// The next finding, or nil when more octets are needed. Preambles and other octets between frames are passed over.
  package mutating func next() -> Finding? {
    guard let start = startCode() else { return nil }
    buffer.removeFirst(start)
    guard buffer.count >= 4 else { return nil }
    switch (buffer[2], buffer[3]) {
    case (0x00, 0xFF): return taken(4, .frame(.acknowledge))
    case (0xFF, 0x00): return taken(4, .frame(.notAcknowledge))
    case (0xFF, 0xFF): return extended()
    case (let count, let check): return body(from: 4, count: Int(count), isChecked: count &+ check == 0)
    }
  }

  private mutating func extended() -> Finding? {
    guard buffer.count >= 7 else { return nil }
    let isChecked = buffer[4] &+ buffer[5] &+ buffer[6] == 0
    return body(from: 7, count: Int(buffer[4]) << 8 | Int(buffer[5]), isChecked: isChecked)
  }

  /// Reads identifier, content and checksum.
  private mutating func body(from offset: Int, count: Int, isChecked: Bool) -> Finding? {
    // A wrong frame may hold the beginning of a right one: only the start code is passed over.
    guard isChecked, (1...HSUFrame.maximumCount + 1).contains(count) else { return taken(2, .corrupt) }
    guard buffer.count > offset + count else { return nil }
    let body = buffer[offset..<offset + count]
    guard body.reduce(buffer[offset + count], &+) == 0 else { return taken(2, .corrupt) }
    let identifier = buffer[offset]
    let content = Array(body.dropFirst())
    guard identifier == HSUFrame.hostIdentifier, !content.isEmpty else {
      let isError = identifier == 0x7F && content.isEmpty
      return taken(offset + count + 1, isError ? .frame(.error) : .unintelligible)
    }
    return taken(offset + count + 1, .frame(.information(content)))
  }

  private mutating func taken(_ count: Int, _ finding: Finding) -> Finding {
    buffer.removeFirst(count)
    return finding
  }

  /// Where the next start code 00 FF begins; drops what can be no part of one.
  private mutating func startCode() -> Int? {
    if let start = buffer.indices.dropLast().first(where: { buffer[$0] == 0x00 && buffer[$0 + 1] == 0xFF }) {
      return start
    }
    buffer.removeFirst(buffer.last == 0x00 ? buffer.count - 1 : buffer.count)
    return nil
  }
}
