internal import SwiftASN1

/// An OCTET STRING in DER (ITU-T X.690, section 8.7), in which the protocol wraps RSA signatures.
public enum OctetString {
  /// Wraps bytes.
  public static func encoded(_ content: [UInt8]) -> [UInt8] {
    var serializer = DER.Serializer()
    do {
      try serializer.serialize(ASN1OctetString(contentBytes: content[...]))
    } catch { preconditionFailure("any bytes are an OCTET STRING: \(error)") }
    return serializer.serializedBytes
  }

  /// The content; nil for other bytes, and for a length that is not in its shortest form.
  static func content(of der: [UInt8]) -> [UInt8]? {
    (try? ASN1OctetString(derEncoded: der)).map { Array($0.bytes) }
  }
}
