import ISO7816

/// Kernel 3: the cryptogram in the response to GET PROCESSING OPTIONS.
extension CardMutant {
  static let qualifiers: [CardMutant] = [
    changing("approval in place of an ARQC", 0xA8) { response, memory in
      !memory.isVisa
        ? response
        : response.changingObject(0x9F10) { $0.count > 4 ? $0.with($0[4] & ~0x30 | 0x10, at: 4) : $0 }
    },
    changing("type of the cryptogram contradicts its data", 0xA8, 0x9F27) { _ in [0x40] },
    changing("cryptogram left out of the options", 0xA8, 0x9F26) { _ in nil },
    changing("counter left out of the options", 0xA8, 0x9F36) { _ in nil },
    changing("issuer data left out of the options", 0xA8, 0x9F10) { _ in nil },
    changing("qualifiers left out", 0xA8, 0x9F6C) { _ in nil },
    changing("form factor left out", 0xA8, 0x9F6E) { _ in nil },
    changing("AFL left out of the options", 0xA8, 0x94) { _ in nil },
    changing("card sequence number left out", 0xB2, 0x5F34) { _ in nil },
    changing("version of the cryptogram changed", 0xA8) { response, memory in
      !memory.isVisa
        ? response : response.changingObject(0x9F10) { $0.count > 2 ? $0.with(0x99, at: 2) : $0 }
    },
    changing("constant cryptogram of kernel 3", 0xA8, 0x9F26) { _ in Bytes(repeating: 0x11, count: 8) },
    accepting("terminal without EMV mode answered") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00, 0x23, 0x83, 0x21, 0x06)
    },
  ]
}
