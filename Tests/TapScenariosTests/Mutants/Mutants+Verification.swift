import ISO7816

/// The verification of the cardholder on the device.
extension Mutant {
  static let verification: [Mutant] = [
    taking("verification on the device ignored", 0xA8) { response, _ in
      // Byte 2 bit 8 of tag 9F6C.
      response.changingQualifiers { $0.with($0[1] & ~0x80, at: 1) }
    },
    taking("verification on the device ignored, kernel 2", 0xA8) { response, _ in
      // Byte 1 bit 2 of the AIP.
      if response.object(0x94) != nil { return response.changingObject(0x82) { $0.with($0[0] & ~0x02, at: 0) } }
      return response.changingObject(0x80) { $0.with($0[0] & ~0x02, at: 0) }
    },
    taking("verification demanded below the limit", 0xA8) { response, _ in
      // No online PIN, no signature, and nothing on the device.
      response.object(0x9F6C) == [0x00, 0x00] ? [0x6A, 0x81] : response
    },
  ]
}
