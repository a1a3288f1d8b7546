import Ciphers
import Octets

/// The encipherment of the data of a script command (EMV 4.3 Book 2, 9.3 and A1.1), with triple DES.
enum ScriptEncipherment: Sendable {
  /// Visa: the length of the data in one byte before them, always padded, each block on its own.
  case lengthFirst
  /// Mastercard and Interac: padded only when the last block is incomplete, chained.
  case chainedWhenShort
  /// EMV: always padded, chained.
  case chained

  /// The maximum data of one command.
  static let maximumCount = 255

  /// Returns enciphered data.
  ///
  /// - Parameters:
  ///   - data: 1...255 bytes; any other length traps.
  ///   - keys: The session key for script confidentiality.
  func encipher(_ data: borrowing Secret, _ keys: borrowing TripleDESKeys, with index: Int = 0) -> [UInt8] {
    let padded = padded(data)
    return padded.withExposedOctets { octets in
      var chain: UInt64 = 0
      var result: [UInt8] = []
      for offset in stride(from: 0, to: octets.count, by: 8) {
        let block = keys.encipher(octets.block64(at: offset) ^ chain, with: index)
        if self != .lengthFirst { chain = block }
        result += block.bigEndianOctets
      }
      return result
    }
  }

  /// Padding is ISO/IEC 9797-1 method 2: one byte 80, then zeros.
  private func padded(_ data: borrowing Secret) -> Secret {
    precondition(data.count <= Self.maximumCount, "\(data.count.bytes) of script data: the limit is 255")
    let start = self == .lengthFirst ? 1 : 0
    let end = start + data.count
    let isPadded = self != .chainedWhenShort || end % 8 != 0
    return data.withExposedOctets { plain in
      Secret(count: isPadded ? (end / 8 + 1) * 8 : end) { octets in
        if start > 0 { octets.put(UInt8(plain.count), at: 0) }
        octets.copy(plain, to: start)
        if isPadded { octets.put(UInt8(0x80), at: end) }
      }
    }
  }
}
