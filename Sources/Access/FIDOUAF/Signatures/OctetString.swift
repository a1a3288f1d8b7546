internal import Octets

/// An OCTET STRING of at most 65535 bytes in DER (ITU-T X.690, section 8.7), in which the protocol wraps RSA signatures.
public enum OctetString {
  /// Wraps bytes. More than 65535 trap.
  public static func encoded(_ content: [UInt8]) -> [UInt8] {
    precondition(content.count <= 0xFFFF, "an OCTET STRING of \(content.count.bytes) is not supported")
    let length: [UInt8] =
      switch content.count {
      case ..<0x80: [UInt8(content.count)]
      case ..<0x100: [0x81, UInt8(content.count)]
      default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
      }
    return [0x04] + length + content
  }

  /// The content; nil for other bytes, and for a length that is not in its shortest form.
  static func content(of der: [UInt8]) -> [UInt8]? {
    guard der.count >= 2, der[0] == 0x04 else { return nil }
    let (header, count): (Int, Int) =
      switch der[1] {
      case 0..<0x80: (2, Int(der[1]))
      case 0x81 where der.count > 2 && der[2] >= 0x80: (3, Int(der[2]))
      case 0x82 where der.count > 3 && der[2] > 0: (4, Int(der[2]) << 8 | Int(der[3]))
      default: (der.count, 1)
      }
    return der.count == header + count ? Array(der[header...]) : nil
  }
}
