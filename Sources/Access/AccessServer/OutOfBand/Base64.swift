internal import JOSE

/// Base64 with padding (RFC 4648, section 4), for the PNG of a QR code.
enum Base64 {
  static func text(of octets: [UInt8]) -> String {
    let text = octets.base64URL.replacing("-", with: "+").replacing("_", with: "/")
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }
}
