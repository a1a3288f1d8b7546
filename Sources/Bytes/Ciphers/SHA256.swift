internal import CNettle

/// SHA-256 (FIPS 180-4). Nettle computes it.
public enum SHA256 {
  /// Returns the digest of bytes: 32 bytes.
  public static func digest(of octets: [UInt8]) -> [UInt8] {
    var context = sha256_ctx()
    var digest = [UInt8](repeating: 0, count: 32)
    unsafe nettle_sha256_init(&context)
    unsafe octets.withUnsafeBufferPointer { unsafe nettle_sha256_update(&context, $0.count, $0.baseAddress) }
    unsafe digest.withUnsafeMutableBufferPointer { unsafe nettle_sha256_digest(&context, $0.count, $0.baseAddress) }
    return digest
  }
}
