package import Ciphers
package import Octets

/// The signature of a card over dynamic data (EMV 4.4 Book 2, table 17), in a block as long as the modulus:
/// `6A | format | 01 | length | dynamic data | BB... | SHA-1 | BC`. Allocates nothing.
extension RSASigningKey {
  /// The offset of the dynamic data in a block.
  package static let dynamicDataOffset = 4
  /// The bytes of a block besides the dynamic data: header, format, algorithm, length, digest, trailer.
  package static let dynamicDataOverhead = 5 + SHA1.count

  /// Writes everything around the dynamic data but the digest, and starts the message that the digest covers. The caller
  /// appends the data of the terminal to it.
  ///
  /// - Parameters:
  ///   - format: 05 or 95.
  ///   - count: The number of bytes of dynamic data, which the caller has written to `dynamicDataOffset`. More than fit trap.
  package static func layOut(_ format: UInt8, count: Int, in block: inout MutableSpan<UInt8>) -> SHA1Stream {
    precondition(count >= 0 && count + dynamicDataOverhead <= block.count, "the dynamic data fit the modulus")
    block[0] = 0x6A
    block[1] = format
    block[2] = 0x01
    block[3] = UInt8(count)
    let end = block.count - 1 - SHA1.count
    for index in dynamicDataOffset + count..<end { block[index] = 0xBB }
    block[block.count - 1] = 0xBC
    var stream = SHA1Stream()
    stream.update(block.span.extracting(1..<end))
    return stream
  }

  /// Writes the digest into a block and replaces the block by its signature.
  ///
  /// - Returns: False when the signature is wrong: see `sign`.
  package borrowing func finish(
    _ block: inout MutableSpan<UInt8>, covering message: consuming SHA1Stream, scratch: borrowing Secret
  ) -> Bool {
    message.finish(into: &block, at: block.count - 1 - SHA1.count)
    return sign(&block, scratch: scratch)
  }
}
