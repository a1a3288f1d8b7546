import ISO7816

/// GET PROCESSING OPTIONS.
extension CardMutant {
  static let options: [CardMutant] = [
    accepting("GPO with class 00") { command, _ in command.begins(0x00, 0xA8) },
    accepting("GPO with P1 01") { command, _ in command.begins(0x80, 0xA8, 0x01, 0x00) },
    accepting("GPO with P2 01") { command, _ in command.begins(0x80, 0xA8, 0x00, 0x01) },
    accepting("options data too short") { command, _ in
      command.begins(0x80, 0xA8, 0x00, 0x00) && command.commandData.starts(with: [0x83, 0x20])
    },
    accepting("options data too long") { command, _ in
      command.begins(0x80, 0xA8, 0x00, 0x00) && command.commandData.starts(with: [0x83, 0x22])
    },
    accepting("options data without template 83") { command, _ in
      command.begins(0x80, 0xA8, 0x00, 0x00) && command.commandData.count == 33
    },
    accepting("template 83 with another length") { command, _ in
      command.begins(0x80, 0xA8, 0x00, 0x00) && command.commandData.starts(with: [0x83, 0x05])
    },
    accepting("GPO without data") { command, _ in
      command.begins(0x80, 0xA8, 0x00, 0x00) && command.commandData.isEmpty
    },
    accepting("GPO before the directory") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00, 0x02) && memory.isFresh && memory.presentations == 1
    },
    accepting("GPO after the directory alone") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00, 0x02) && memory.instructions == [0x00]
    },
    accepting("selection survives the field") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00) && memory.isFresh && memory.presentations == 2
    },
    repeating("options given twice") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00) && memory.instructions.last == 0xA8
    },
    repeating("options given again after the records") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00) && memory.instructions.last == 0xB2
    },
    changing("AFL of a wrong length", 0xA8, 0x94) { Array($0.dropLast()) },
    changing("record zero in the AFL", 0xA8, 0x94) { $0.count > 1 ? $0.with(0x00, at: 1) : $0 },
    changing("AIP of three bytes", 0xA8, 0x82) { $0 + [0x00] },
    changing("response to GPO in template 70", 0xA8) { response, _ in response.inTemplate(0x70) },
    changing("AIP given twice", 0xA8) { response, _ in
      response.object(0x82).map { response.adding(TLVNode(0x82, $0)) } ?? response
    },
    CardMutant(
      fault: "short Le spends the options",
      response: { response, command, memory in
        if command.instruction == 0xA8, response.status[0] == 0x6C { memory["spent"] = response }
        return command.instruction == 0xA8 && response.status == [0x90, 0x00] && memory["spent"] != nil
          ? [0x69, 0x85] : response
      }),
  ]
}
