import ISO7816

/// EXCHANGE RELAY RESISTANCE DATA.
extension CardMutant {
  static let relay: [CardMutant] = [
    changing("relay response of nine bytes", 0xEA, 0x80) { Array($0.dropLast()) },
    changing("constant relay number", 0xEA, 0x80) { [0x01, 0x02, 0x03, 0x04] + $0.dropFirst(4) },
    repeating("relay resistance without limit") { command, memory in
      command.begins(0x80, 0xEA) && memory.instructions.count(where: { $0 == 0xEA }) == 3
    },
    accepting("relay resistance after the cryptogram") { command, memory in
      command.begins(0x80, 0xEA) && memory.instructions.last == 0xAE
    },
    accepting("relay resistance before the options") { command, memory in
      command.begins(0x80, 0xEA) && memory.isSelected
    },
    accepting("relay number of three bytes") { command, _ in
      command.begins(0x80, 0xEA, 0x00, 0x00, 0x03)
    },
    accepting("relay number of five bytes") { command, _ in
      command.begins(0x80, 0xEA, 0x00, 0x00, 0x05)
    },
    accepting("relay resistance with P1 01") { command, _ in command.begins(0x80, 0xEA, 0x01) },
    accepting("relay resistance with class 00") { command, _ in command.begins(0x00, 0xEA) },
    changing("relay response in template 77", 0xEA) { response, _ in
      response.object(0x80).map { TLVNode(0x77, [TLVNode(0x80, $0)]).encoded + response.status } ?? response
    },
  ]
}
