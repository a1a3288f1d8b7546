import ISO7816

/// Class, P1-P2, Le, and responses in parts.
extension Mutant {
  static let transport: [Mutant] = [
    Mutant(
      fault: "wrong P2 of SELECT",
      command: { command, _ in
        command.selectsDirectory ? command.with(0x0C, at: 3) : command
      }),
    Mutant(
      fault: "SELECT without Le",
      command: { command, _ in
        command.selectsApplication ? command.with(le: nil) : command
      }),
    sending("wrong class of GPO", 0xA8) { command, _ in command.with(0x00, at: 0) },
    sending("wrong P1 of GPO", 0xA8) { command, _ in command.with(0x01, at: 2) },
    sending("wrong Le of GPO", 0xA8) { command, _ in command.with(le: 0x20) },
    sending("wrong P2 of READ RECORD", 0xB2) { command, _ in command.with(command[3] | 0x05, at: 3) },
    sending("wrong Le of READ RECORD", 0xB2) { command, _ in command.with(le: 0x10) },
    sending("wrong class of READ RECORD", 0xB2) { command, _ in command.with(0x80, at: 0) },
    sending("wrong class of GENERATE AC", 0xAE) { command, _ in command.with(0x00, at: 0) },
    sending("wrong P2 of GENERATE AC", 0xAE) { command, _ in command.with(0x01, at: 3) },
    sending("GENERATE AC without Le", 0xAE) { command, _ in command.with(le: nil) },
    sending("wrong P2 of COMPUTE CRYPTOGRAPHIC CHECKSUM", 0x2A) { command, _ in command.with(0x00, at: 3) },
    sending("wrong class of EXCHANGE RELAY RESISTANCE DATA", 0xEA) { command, _ in command.with(0x00, at: 0) },
    Mutant(
      fault: "rest of a response not fetched",
      response: { response, _, _ in
        response.count == 2 && response[0] == 0x61 ? [0x6F, 0x00] : response
      }),
    Mutant(
      fault: "corrected Le ignored",
      response: { response, _, _ in
        response.count == 2 && response[0] == 0x6C ? [0x6F, 0x00] : response
      }),
  ]
}
