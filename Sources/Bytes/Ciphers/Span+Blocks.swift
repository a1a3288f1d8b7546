package import Octets

// Cipher blocks as integers, the first byte in the highest place.

extension Span<UInt8> {
  /// The eight bytes at an offset.
  package func block64(at offset: Int = 0) -> UInt64 {
    (offset..<offset + 8).reduce(0) { $0 << 8 | UInt64(self[$1]) }
  }
}

/// Returns a half of a DES key with the lowest bit of every byte set so that the byte has an odd number of ones.
package func withOddParity(_ half: UInt64) -> UInt64 {
  var folded = half
  folded ^= folded >> 4
  folded ^= folded >> 2
  folded ^= folded >> 1
  return half ^ (~folded & 0x0101_0101_0101_0101)
}

/// Returns a double-length DES key of two halves, with odd parity.
package func doubleLengthKey(_ left: UInt64, _ right: UInt64) -> Secret {
  Secret(count: TripleDESKeys.keyCount) { octets in
    octets.put(withOddParity(left), at: 0)
    octets.put(withOddParity(right), at: 8)
  }
}
