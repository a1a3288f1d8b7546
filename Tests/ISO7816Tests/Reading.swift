import ISO7816
import Octets

// Values from hexadecimal text, for tables.

extension CommandAPDU {
  init(hex: String) throws {
    let octets = try [UInt8](hex: hex)
    try self.init(parsing: octets.span)
  }
}

extension ResponseAPDU {
  init(hex: String) throws {
    let octets = try [UInt8](hex: hex)
    try self.init(parsing: octets.span)
  }
}

extension [TLVNode] {
  init(hex: String, rules: TLVRules = .lenient) throws {
    let octets = try [UInt8](hex: hex)
    try self.init(parsing: octets.span, rules: rules)
  }
}
