internal import CNettle

/// SHA-1 (FIPS 180-4), the hash algorithm 01 of EMV (4.4 Book 2, B3.1). Nettle computes it.
package enum SHA1 {
  /// The length of a digest: 20 bytes.
  package static let count = 20

  /// Returns the digest of bytes that follow one another in several parts: 20 bytes.
  package static func digest(of parts: [UInt8]...) -> [UInt8] {
    var context = sha1_ctx()
    var digest = [UInt8](repeating: 0, count: count)
    unsafe nettle_sha1_init(&context)
    for part in parts {
      unsafe part.withUnsafeBufferPointer { unsafe nettle_sha1_update(&context, $0.count, $0.baseAddress) }
    }
    unsafe digest.withUnsafeMutableBufferPointer { unsafe nettle_sha1_digest(&context, $0.count, $0.baseAddress) }
    return digest
  }
}
