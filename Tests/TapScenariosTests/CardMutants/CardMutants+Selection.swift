import ISO7816

/// The selection of an application.
extension CardMutant {
  static let selection: [CardMutant] = [
    ofApplication("name of the application cut") { $0.changingObject(0x84) { Array($0.prefix(5)) } },
    ofApplication("response to SELECT without template", \.withoutTemplate),
    ofApplication("list of the options left out") { $0.changingObject(0x9F38) { _ in nil } },
    ofApplication("label of 17 bytes") { $0.changingObject(0x50) { _ in Bytes(repeating: 0x41, count: 17) } },
    ofApplication("account number before the payment") {
      $0.changingObject(0x50) { $0 }.adding(TLVNode(0x5A, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10]))
    },
    refusing("part of a name not found", [0x6A, 0x82]) { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x05)
    },
    CardMutant(
      fault: "next occurrence is the first again",
      command: { command, memory in
        command.begins(0x00, 0xA4, 0x04, 0x02) && !memory.application.isEmpty ? command.with(0x00, at: 3) : command
      }),
    accepting("selection after the last application") { command, memory in
      command.begins(0x00, 0xA4, 0x04, 0x02) && memory.last?.command.begins(0x00, 0xA4, 0x04, 0x02) == true
    },
    accepting("9000 for an unknown name") { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x07, 0xA0, 0x00, 0x00, 0x06)
    },
    refusing("failed selection ends the earlier one", [0x69, 0x85]) { command, memory in
      command.instruction == 0xA8 && memory.last?.response == [0x6A, 0x82]
    },
    repeating("records readable after a new selection") { command, memory in
      command.instruction == 0xB2 && memory.hasOptions
    },
    accepting("SELECT without a response") { command, _ in command.begins(0x00, 0xA4, 0x04, 0x0C) },
    accepting("SELECT by file identifier") { command, _ in command.begins(0x00, 0xA4, 0x00) },
    accepting("name of 17 bytes") { command, _ in command.selectsApplication && command.commandData.count > 16 },
    accepting("empty name") { command, _ in command.begins(0x00, 0xA4, 0x04, 0x00) && command.commandData.isEmpty },
    accepting("SELECT with class 80") { command, _ in command.begins(0x80, 0xA4) },
    CardMutant(
      fault: "short Le of SELECT ignored",
      command: { command, _ in
        command.selectsApplication && command.last == 0x05 ? command.with(le: 0x00) : command
      }),
  ]

  private static func ofApplication(
    _ fault: String, _ change: @escaping @Sendable (_ response: Bytes) -> Bytes
  ) -> CardMutant {
    CardMutant(
      fault: fault,
      response: { response, command, _ in
        command.selectsApplication && response.status == [0x90, 0x00] ? change(response) : response
      })
  }
}
