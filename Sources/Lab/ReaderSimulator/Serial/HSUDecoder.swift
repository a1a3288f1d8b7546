/// Finds frames in the bytes of a host. It accepts any bytes, cut anywhere.
package struct HSUDecoder: Sendable {
  /// What the decoder found.
  package enum Finding: Equatable, Sendable {
    /// A complete frame. Information frames are those of a host.
    case frame(HSUFrame)
    /// A frame with a wrong length or a wrong checksum.
    case corrupt
    /// A complete frame with another identifier than the host's, or without content.
    case unknown
  }

  private var buffer: [UInt8] = []

  /// Creates an empty decoder.
  package init() {}

  /// How many bytes wait for the rest of a frame, at most the size of the longest frame.
  package var pendingCount: Int { buffer.count }

  /// Appends bytes; call `next()` until it returns nil.
  package mutating func append(_ octets: some Sequence<UInt8>) {
    buffer.append(contentsOf: octets)
  }

  /// The next frame or error, or nil when more bytes are needed. Bytes between frames, such as preambles, are ignored.
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
    // A damaged frame may contain the start of a correct one, so only its start code is skipped.
    guard isChecked, (1...HSUFrame.maximumCount + 1).contains(count) else { return taken(2, .corrupt) }
    guard buffer.count > offset + count else { return nil }
    let body = buffer[offset..<offset + count]
    guard body.reduce(buffer[offset + count], &+) == 0 else { return taken(2, .corrupt) }
    let identifier = buffer[offset]
    let content = Array(body.dropFirst())
    guard identifier == HSUFrame.hostIdentifier, !content.isEmpty else {
      let isError = identifier == 0x7F && content.isEmpty
      return taken(offset + count + 1, isError ? .frame(.error) : .unknown)
    }
    return taken(offset + count + 1, .frame(.information(content)))
  }

  private mutating func taken(_ count: Int, _ finding: Finding) -> Finding {
    buffer.removeFirst(count)
    return finding
  }

  /// The index of the next start code 00 FF. Bytes that cannot be part of one are removed.
  private mutating func startCode() -> Int? {
    if let start = buffer.indices.dropLast().first(where: { buffer[$0] == 0x00 && buffer[$0 + 1] == 0xFF }) {
      return start
    }
    buffer.removeFirst(buffer.last == 0x00 ? buffer.count - 1 : buffer.count)
    return nil
  }
}
