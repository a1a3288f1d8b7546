import EMVDecoding
import ISO7816

/// The values that the terminal sends for the lists of the card.
extension Mutant {
  static let values: [Mutant] = [
    Mutant(fault: "constant unpredictable number", random: { ConstantRandomSource() }),
    Mutant(fault: "unpredictable number counts up", random: { CountingRandomSource() }),
    Mutant(
      fault: "amount of the tap before",
      command: { command, memory in
        guard command.instruction == 0xA8 || command.instruction == 0xAE else { return command }
        return command.changing(0x9F02, memory.context) { amount in
          let before = memory["amount"] ?? amount
          memory["amount"] = amount
          return before
        }
      }),
    fixed("constant date", 0x9A, [0x23, 0x01, 0x01]), fixed("currency of another country", 0x5F2A, [0x08, 0x40]),
    fixed("amount of zero", 0x9F02, [0, 0, 0, 0, 0, 0]),
    fixed("cashback in every payment", 0x9F03, [0, 0, 0, 0, 0x10, 0x00]),
    fixed("cash in place of a purchase", 0x9C, [0x01]), fixed("CVM results left out", 0x9F34, [0x00, 0x00, 0x00]),
    fixed("unknown tag filled with ones", 0xDF50, [0xFF, 0xFF]),
    changed("amount padded on the right", 0x9F02) { $0.count > 6 ? Array($0.dropFirst(2)) + [0x00, 0x00] : $0 },
    changed("amount cut on the right", 0x9F02) { $0.count < 6 ? [0x00, 0x00] + Array($0.dropLast(2)) : $0 },
    changed("binary number padded on the left", 0x9F37) {
      $0.count > 4 ? Array($0.dropFirst(4)) + Array($0.prefix(4)) : $0
    },
    bit("CVM required not set above the limit", 2, 7, false), bit("CVM required set below the limit", 2, 7, true),
    bit("online cryptogram not required", 2, 8, false), bit("EMV mode not set", 1, 6, false),
    // Byte 2 bit 7 and byte 3 bit 7.
    changed("CVM bits swapped", 0x9F66) {
      $0.with($0[1] & ~0x40 | $0[2] & 0x40, at: 1).with($0[2] & ~0x40 | $0[1] & 0x40, at: 2)
    },
    bit("verification on the device not supported", 3, 7, false), bit("offline-only reader", 1, 4, true),
    changed("qualifiers of another terminal", 0x9F66) { $0.with($0[2] | 0x20, at: 2) },
    changed("reader capabilities of American Express left out", 0x9F6E) { $0.map { _ in 0x00 } },
    changed("CVM required of American Express left out", 0x9F6E) {
      $0.count == 4 ? $0.with($0[2] & ~0x40, at: 2) : $0
    },
    changed("CVM required of JCB left out", 0x9F53) { $0.with($0[0] & ~0x80, at: 0) },
    Mutant(
      fault: "CVM required of Discover left out",
      command: { command, memory in
        guard memory.context.application?.octets.starts(with: [0xA0, 0x00, 0x00, 0x01, 0x52]) == true else {
          return command
        }
        return command.changing(0x9F66, memory.context) { $0.with($0[1] & ~0x40, at: 1) }
      }),
    changed("terminal compatibility of JCB left out", 0x9F52) { $0.map { _ in 0x00 } },
    changed("mobile support of the reader left out", 0x9F7E) { $0.map { _ in 0x00 } },
  ]

  private static func changed(
    _ fault: String, _ tag: Tag, _ change: @escaping @Sendable (Bytes) -> Bytes
  ) -> Mutant {
    Mutant(fault: fault, command: { command, memory in command.changing(tag, memory.context, change) })
  }

  private static func fixed(_ fault: String, _ tag: Tag, _ value: Bytes) -> Mutant {
    changed(fault, tag) { $0.count == value.count ? value : $0 }
  }

  /// A mutant whose terminal transaction qualifiers have a bit always or never.
  private static func bit(_ fault: String, _ octet: Int, _ bit: UInt8, _ isSet: Bool) -> Mutant {
    changed(fault, 0x9F66) {
      let mask = UInt8(1) << (bit - 1)
      return $0.with(isSet ? $0[octet - 1] | mask : $0[octet - 1] & ~mask, at: octet - 1)
    }
  }
}
