import EMVDecoding
import ISO7816

/// GENERATE AC, COMPUTE CRYPTOGRAPHIC CHECKSUM and EXCHANGE RELAY RESISTANCE DATA.
extension Mutant {
  static let cryptogram: [Mutant] = [
    Mutant(
      fault: "second GENERATE AC after an AAC",
      further: { command, response, _ in
        let isDeclined = response.object(0x9F27) == [0x00] || response.object(0x80)?.first == 0x00
        return command.instruction == 0xAE && isDeclined ? [command] : []
      }),
    Mutant(
      fault: "second GENERATE AC without issuer update",
      further: { command, response, _ in
        command.instruction == 0xAE && response.object(0x9F27) == [0x80] ? [command.with(0x40, at: 2)] : []
      }),
    sending("TC asked for in place of an ARQC", 0xAE) { command, _ in
      command[2] & 0xC0 == 0x80 ? command.with(command[2] & 0x3F | 0x40, at: 2) : command
    },
    Mutant(
      fault: "TC accepted although an ARQC was asked for",
      response: { response, command, _ in
        guard command.instruction == 0xAE, command[2] & 0xC0 == 0x80 else { return response }
        return response.changingObject(0x9F27) { $0 == [0x40] ? [0x80] : $0 }
      }),
    taking("denial codes of the card ignored", 0xB2) { response, _ in
      response.changingObject(0x9F0E) { $0.map { _ in 0 } }
    },
    sending("CDOL data too long", 0xAE) { command, _ in command.with(data: command.commandData + [0x00]) },
    sending("CDOL data too short", 0xAE) { command, _ in command.with(data: command.commandData.dropLast()) },
    sending("UDOL data too long", 0x2A) { command, _ in command.with(data: command.commandData + [0x00]) },
    repeating("checksum asked for twice") { $0.instruction == 0x2A },
    taking("relay resistance left out", 0xA8) { response, _ in
      if response.first == 0x80 { return response.changingObject(0x80) { $0.with($0[1] & 0xFE, at: 1) } }
      return response.changingObject(0x82) { $0.with($0[1] & 0xFE, at: 1) }
    },
    Mutant(
      fault: "relay resistance tried without limit",
      further: { command, _, _ in
        command.instruction == 0xEA ? [command, command, command, command] : []
      }),
    Mutant(
      fault: "records read before relay resistance",
      further: { command, _, memory in
        command.instruction == 0xA8 && memory.context.pdol == nil ? [[0x00, 0xB2, 0x01, 0x14, 0x00]] : []
      }),
    taking("mag-stripe mode with an EMV card", 0xA8) { response, _ in
      response.changingObject(0x82) { $0.with($0[1] & 0x7F, at: 1) }
    },
    bit("expired application not reported", 2, 7),
    bit("application before its effective date not reported", 2, 6),
    bit("different application version not reported", 2, 8),
    bit("service that the card does not allow not reported", 2, 5),
    bit("offline authentication not reported as left out", 1, 8),
    bit("floor limit not reported as exceeded", 4, 8),
    bit("unsuccessful verification not reported", 3, 8),
  ]

  /// A mutant whose TVR never has a bit.
  private static func bit(_ fault: String, _ octet: Int, _ bit: UInt8) -> Mutant {
    sending(fault, 0xAE) { command, memory in
      command.changing(0x95, memory.context) { $0.with($0[octet - 1] & ~(1 << (bit - 1)), at: octet - 1) }
    }
  }
}
