import ISO7816

/// READ RECORD.
extension CardMutant {
  static let records: [CardMutant] = [
    refusing("last record of the AFL missing", [0x6A, 0x83]) { command, _ in command.begins(0x00, 0xB2, 0x01, 0x1C) },
    changing("record without template", 0xB2) { response, _ in
      response.object(0x5F20) == nil ? response : response.withoutTemplate
    },
    changing("data object in two records", 0xB2) { response, _ in
      response.object(0x5F20) == nil ? response : response.adding(TLVNode(0x5F34, [0x01]))
    },
    changing("track 2 of another account", 0xB2, 0x57) { $0.with(0x48, at: 0) },
    changing("track 2 with another expiry", 0xB2, 0x57) { $0.count > 9 ? $0.with(0xD2, at: 8) : $0 },
    changing("expiry date left out", 0xB2, 0x5F24) { _ in nil },
    changing("expiry date of two bytes", 0xB2, 0x5F24) { Array($0.prefix(2)) },
    changing("track 2 left out of the records", 0xB2, 0x57) { _ in nil },
    accepting("record zero answered") { command, _ in command.begins(0x00, 0xB2, 0x00) },
    accepting("9000 for a record that is not there") { command, _ in command.begins(0x00, 0xB2, 0x63) },
    accepting("record of file 31") { command, _ in command.begins(0x00, 0xB2, 0x01, 0xFC) },
    accepting("record of the current file") { command, _ in command.begins(0x00, 0xB2, 0x01, 0x04) },
    accepting("all records at once") { command, _ in command.begins(0x00, 0xB2) && command[3] & 0x07 == 0x05 },
    accepting("record by identifier") { command, _ in command.begins(0x00, 0xB2) && command[3] & 0x07 == 0x00 },
    accepting("READ RECORD with class 80") { command, _ in command.begins(0x80, 0xB2) },
    accepting("data of READ RECORD ignored") { command, _ in
      command.begins(0x00, 0xB2) && !command.commandData.isEmpty
    },
    CardMutant(
      fault: "short Le of READ RECORD ignored",
      command: { command, _ in
        command.begins(0x00, 0xB2) && command.last == 0x05 ? command.with(le: 0x00) : command
      }),
    accepting("records before the options") { command, memory in
      command.begins(0x00, 0xB2) && memory.isSelected
    },
    accepting("records before a selection") { command, memory in
      command.begins(0x00, 0xB2) && memory.isFresh && memory.presentations == 1
    },
    accepting("records after the field was off") { command, memory in
      command.begins(0x00, 0xB2) && memory.isFresh && memory.presentations == 2
    },
    accepting("records after the directory") { command, memory in
      command.begins(0x00, 0xB2) && memory.instructions.last == 0x00 && memory.hasOptions
    },
    refusing("wrong record number ends the reading", [0x69, 0x85]) { command, memory in
      command.begins(0x00, 0xB2) && memory.last?.response == [0x6A, 0x83]
    },
    CardMutant(
      fault: "record changes when it is read again",
      response: { response, command, memory in
        command.begins(0x00, 0xB2) && memory.last?.command == command
          ? response.changingObject(0x57) { $0.dropLast() + [0x8F] } : response
      }),
    CardMutant(
      fault: "account number changes from tap to tap",
      response: { response, command, memory in
        command.instruction == 0xB2 && memory.presentations % 2 == 0
          ? response.changingObject(0x5A) { $0.dropLast() + [0x28] } : response
      }),
  ]
}
