internal import Documents
internal import EMVData
internal import JSON
internal import Octets

extension ObjectReader {
  /// Notes bits of a value that report a verification of the cardholder, or its absence. A profile describes the card
  /// before a verification, and only an armed card sets these bits.
  ///
  /// - Parameters:
  ///   - octets: The value of the profile; ignored when its length is not that of the bits, which is a problem already.
  ///   - bits: The bits that must be 0.
  ///   - key: The key of the value.
  mutating func checkUnverified<Bits: BitField & OptionSet>(_ octets: [UInt8], _ bits: Bits, _ key: String) {
    guard let value = Bits(octets: octets) else { return }
    let preset = Bits(rawValue: value.rawValue & bits.rawValue)
    guard preset.rawValue != 0 else { return }
    let remedy = Bits(rawValue: value.rawValue & ~bits.rawValue).octets.hex
    note(
      key,
      "\(octets.hex) presets \(preset.places.joined(separator: ", ")): the card sets this after a verification, "
        + "write \(remedy)")
  }
}

extension BitField {
  /// The places and the names of the bits that are set.
  fileprivate var places: [String] {
    (1...Self.layout.octetCount).flatMap { octet in
      (1...8).reversed().filter { isSet(octet: octet, bit: $0) }.map { bit in
        let name = Self.layout.bits.first { $0.octet == octet && $0.bit == bit }?.name
        let group = Self.layout.fields.first { $0.octet == octet && $0.bits.contains(bit) }?.name
        return "byte \(octet) bit \(bit) (\(name ?? group ?? "RFU"))"
      }
    }
  }
}
