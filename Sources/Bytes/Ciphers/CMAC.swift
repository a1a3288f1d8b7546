internal import CNettle

/// The AES-CMAC of NIST SP 800-38B (EMV 4.3 Book 2, A1.2.2). Reads the message in pieces and allocates
/// nothing.
///
/// No EMV test vector with AES is public: the results were compared with those of other AES libraries only.
public struct CMAC: Sendable {
  private var state = cmac128_ctx()

  /// Starts an empty message.
  public init() {
    unsafe nettle_cmac128_init(&state)
  }

  /// Reads the next bytes of the message.
  public mutating func absorb(_ octets: Span<UInt8>, _ keys: borrowing AESKeys, with index: Int = 0) {
    unsafe octets.withUnsafeBufferPointer { from in
      unsafe keys.withSchedule(index) { key in
        unsafe contactless_cmac_aes128_update(&state, key, from.count, from.baseAddress)
      }
    }
  }

  /// Ends the message and returns the leftmost 8 bytes of the MAC; EMV uses no more.
  public consuming func finish(_ keys: borrowing AESKeys, with index: Int = 0) -> UInt64 {
    var mac: UInt64 = 0
    unsafe keys.withSchedule(index) { key in
      unsafe withUnsafeMutableBytes(of: &mac) { to in
        guard let target = to.baseAddress else { return }
        unsafe contactless_cmac_aes128_digest(&state, key, 8, target.assumingMemoryBound(to: UInt8.self))
      }
    }
    return UInt64(bigEndian: mac)
  }
}
