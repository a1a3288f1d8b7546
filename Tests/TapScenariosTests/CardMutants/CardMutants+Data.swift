import ISO7816

/// The form of values, and data that do not fit each other.
extension CardMutant {
  static let data: [CardMutant] = [
    changing("action code of four bytes", 0xB2, 0x9F0F) { Array($0.dropLast()) },
    changing("expiry date with day 32", 0xB2, 0x5F24) { $0.prefix(2) + [0x32] },
    changing("data object twice in a record", 0xB2) { response, _ in
      response.object(0x9F0D).map { response.adding(TLVNode(0x9F0D, $0)) } ?? response
    },
    changing("remainder of the issuer key cut", 0xB2, 0x92) { Array($0.dropLast()) },
    changing("list of methods with an odd length", 0xB2, 0x8E) { $0 + [0x00] },
    changing("CDOL1 without the number of the terminal", 0xB2, 0x8C) { list in
      // As many bytes of tag 9F4E in place of tag 9F37.
      list.split(separator: [0x9F, 0x37]).enumerated().flatMap { ($0 == 0 ? [] : [0x9F, 0x4E]) + $1 }
    },
    changing("label with a control character", 0xA4, 0x50) { [0x07] + $0.dropFirst() },
    changing("length of a record in two bytes", 0xB2) { response, _ in
      response.count > 2 && response[1] < 0x80 ? [response[0], 0x81] + response.dropFirst() : response
    },
    changing("expiry date in the past", 0xB2, 0x5F24) { _ in [0x20, 0x12, 0x31] },
    changing("usage control that allows nothing", 0xB2, 0x9F07) { _ in [0x03, 0x00] },
    changing("priority differs from the directory", 0xA4) { response, _ in
      response.object(0xBF0C) == nil || response.object(0x87) == nil
        ? response.changingObject(0x87) { [$0.first.map { $0 ^ 0x03 } ?? 0] } : response
    },
    changing("AIP left out of the options", 0xA8, 0x82) { _ in nil },
    CardMutant(
      fault: "track 2 left out of options and records",
      response: { response, command, memory in
        [0xA8, 0xB2].contains(command.instruction) && memory.application.starts(with: [0xA0, 0x00, 0x00, 0x00, 0x03])
          ? response.changingObject(0x57) { _ in nil } : response
      }),
    changing("UnionPay: track 2 left out", 0xB2, 0x57) { _ in nil },
  ]
}
