internal import CNettle
public import Octets

/// HMAC with SHA-256 (RFC 2104). Nettle computes it.
public enum HMACSHA256 {
  /// Returns the authentication code of bytes: 32 bytes.
  public static func code(of octets: [UInt8], key: borrowing Secret) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    key.withExposedOctets { exposed in
      unsafe exposed.withUnsafeBufferPointer { key in
        unsafe octets.withUnsafeBufferPointer { octets in
          unsafe code.withUnsafeMutableBufferPointer { code in
            guard let start = code.baseAddress else { return }
            unsafe contactless_hmac_sha256(key.baseAddress, key.count, octets.baseAddress, octets.count, start)
          }
        }
      }
    }
    return code
  }
}
