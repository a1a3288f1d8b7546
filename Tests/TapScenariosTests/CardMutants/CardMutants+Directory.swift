import ISO7816

/// The directory.
extension CardMutant {
  static let directory: [CardMutant] = [
    ofDirectory("directory under another name") { response, _ in
      response.changingObject(0x84) { _ in Array("1PAY.SYS.DDF01".utf8) }
    },
    ofDirectory("directory entry without a name") { response, _ in
      // A card whose first entry is that of Visa: the entry of Mastercard is the second one.
      guard response.object(0x4F)?.starts(with: [0xA0, 0x00, 0x00, 0x00, 0x03]) == true else { return response }
      return response.changingObject(0x4F) { $0.starts(with: [0xA0, 0x00, 0x00, 0x00, 0x04]) ? nil : $0 }
    },
    ofDirectory("two applications with the same priority") { response, _ in
      response.changingObject(0x87) { _ in [0x01] }
    },
    ofDirectory("directory in template 70") { response, _ in response.inTemplate(0x70) },
    ofDirectory("name in the directory changes") { response, memory in
      memory.presentations % 2 == 1 ? response : response.changingObject(0x4F) { $0.dropLast() + [0x99] }
    },
    refusing("application of the directory that cannot be selected", [0x6A, 0x82]) { command, _ in
      command.selectsApplication && command.commandData == [0xA0, 0x00, 0x00, 0x00, 0x03, 0x20, 0x10]
    },
    refusing("directory only before a selection", [0x69, 0x85]) { command, memory in
      command.selectsDirectory && memory.isSelected
    },
    refusing("directory refused after the options", [0x69, 0x85]) { command, memory in
      command.selectsDirectory && memory.hasOptions
    },
    accepting("directory by a part of its name") { command, _ in
      command.commandData == Array("2PAY.SYS".utf8)
    },
    accepting("directory of the contact interface") { command, _ in
      command.commandData == Array("1PAY.SYS.DDF01".utf8)
    },
    CardMutant(
      fault: "application stays selected after the directory",
      command: { command, memory in
        // The card gets a command that changes nothing.
        command.selectsDirectory && memory["directory"] != nil ? [0x00, 0xFF, 0x00, 0x00] : command
      },
      response: { response, command, memory in
        guard command.selectsDirectory else { return response }
        if response.status == [0x90, 0x00] { memory["directory"] = response }
        return memory["directory"] ?? response
      }),
    accepting("next directory") { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x02) && command.commandData.starts(with: Array("2PAY".utf8))
    },
  ]

  private static func ofDirectory(
    _ fault: String, _ change: @escaping @Sendable (_ response: Bytes, CardMemory) -> Bytes
  ) -> CardMutant {
    CardMutant(fault: fault, response: { $1.selectsDirectory && $0.status == [0x90, 0x00] ? change($0, $2) : $0 })
  }
}
