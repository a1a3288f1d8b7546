internal import CNettle

/// SHA-1 over bytes that come in several parts. Allocates nothing: a card computes it at a tap.
package struct SHA1Stream {
  private var context = sha1_ctx()

  /// Starts an empty message.
  package init() { unsafe nettle_sha1_init(&context) }

  /// Appends bytes to the message.
  package mutating func update(_ octets: Span<UInt8>) {
    unsafe octets.withUnsafeBufferPointer { unsafe nettle_sha1_update(&context, $0.count, $0.baseAddress) }
  }

  /// Appends bytes to the message.
  package mutating func update(_ octets: RawSpan) {
    unsafe octets.withUnsafeBytes { octets in
      guard let base = octets.baseAddress else { return }
      unsafe nettle_sha1_update(&context, octets.count, base.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Ends the message and writes its digest, 20 bytes, to an offset of a block. The block must have room for it.
  package mutating func finish(into block: inout MutableSpan<UInt8>, at offset: Int) {
    precondition(offset >= 0 && offset + SHA1.count <= block.count, "a digest has 20 bytes")
    unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress else { return }
      unsafe nettle_sha1_digest(&context, SHA1.count, base + offset)
    }
  }
}
