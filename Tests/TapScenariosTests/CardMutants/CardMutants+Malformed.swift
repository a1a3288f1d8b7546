import ISO7816
import Octets

/// Commands that are no commands, and commands that a payment card does not have.
extension CardMutant {
  static let malformed: [CardMutant] = [
    accepting("command of three bytes accepted") { command, _ in command.count == 3 },
    accepting("command of one byte accepted") { command, _ in command.count == 1 },
    accepting("Lc above the data accepted") { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x20) && command.count < 37
    },
    accepting("Lc above the data accepted after the directory") { command, memory in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x20) && command.count < 37 && memory.instructions == [0x00]
    },
    accepting("Lc above the data accepted after a selection") { command, memory in
      command.begins(0x80, 0xA8, 0x00, 0x00, 0x23) && command.count < 40 && memory.isSelected
    },
    accepting("Lc above the data accepted after the options") { command, memory in
      command.begins(0x00, 0xB2, 0x01, 0x0C, 0x05) && command.count == 6 && memory.instructions.last == 0xA8
    },
    accepting("Lc above the data accepted after the cryptogram") { command, memory in
      command.begins(0x80, 0xAE, 0x80, 0x00, 0x42) && command.count == 7 && memory.instructions.last == 0xAE
    },
    accepting("Lc below the data accepted") { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x03) && command.count > 9
    },
    accepting("extended length without data accepted") { command, _ in
      command.begins(0x00, 0xA4, 0x04, 0x00, 0x00, 0x00) && command.count == 6
    },
    refusing("silent after a malformed command", [0x6F, 0x00]) { _, memory in
      memory.last.map { $0.command == [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] } == true
    },
    refusing("lost after an unknown instruction", [0x6F, 0x00]) { command, memory in
      command.instruction == 0xA8 && memory.last.map { $0.command.instruction == 0x70 } == true
    },
    refusing("selection lost after a wrong class", [0x69, 0x85]) { command, memory in
      command.instruction == 0xA8 && memory.last.map { $0.command.begins(0x80, 0xB2) } == true
    },
    refusing("lost after 20 wrong commands", [0x6F, 0x00]) { command, memory in
      command.selectsDirectory && memory.last.map { $0.command.begins(0x00, 0x7E) } == true
    },
    accepting("GET RESPONSE without a response") { command, _ in command.begins(0x00, 0xC0) },
    accepting("chained command accepted") { command, _ in command.begins(0x10, 0xA4) },
  ]

  static let instructions: [CardMutant] = [
    accepting("unknown instruction accepted after power-on") { command, memory in
      command.begins(0x00, 0x7C) && memory.isFresh
    },
    accepting("unknown instruction accepted after a selection") { command, memory in
      command.begins(0x00, 0x7C) && memory.isSelected
    },
    accepting("unknown instruction accepted after the options") { command, memory in
      command.begins(0x00, 0x7C) && memory.instructions.last == 0xA8
    },
    accepting("unknown instruction accepted after the records") { command, memory in
      command.begins(0x00, 0x7C) && memory.instructions.last == 0xB2
    },
    accepting("unknown instruction accepted after the directory") { command, memory in
      command.begins(0x00, 0x7C) && memory.instructions == [0x00]
    },
    accepting("unknown instruction accepted after the cryptogram") { command, memory in
      command.begins(0x00, 0x7C) && memory.instructions.last == 0xAE
    },
    accepting("class A0 accepted after the directory") { command, memory in
      command.begins(0xA0, 0xA4) && memory.instructions == [0x00]
    },
    accepting("class A0 accepted after the options") { command, memory in
      command.begins(0xA0, 0xA4) && memory.instructions.last == 0xA8
    },
    accepting("class FF accepted after the cryptogram") { command, memory in
      command.begins(0xFF, 0xB2) && memory.instructions.last == 0xAE
    },
    accepting("class A0 accepted") { command, _ in command.begins(0xA0, 0xA4) },
    accepting("class FF accepted") { command, _ in command.begins(0xFF, 0xB2) },
    accepting("VERIFY accepted") { command, _ in command.begins(0x00, 0x20) },
    accepting("PUT DATA without secure messaging accepted") { command, _ in command.begins(0x04, 0xDA) },
    accepting("APPLICATION BLOCK without a MAC accepted") { command, _ in command.begins(0x84, 0x1E) },
    accepting("CARD BLOCK without a MAC accepted") { command, _ in command.begins(0x84, 0x16) },
    accepting("UPDATE RECORD accepted") { command, _ in command.begins(0x00, 0xDC) },
    accepting("READ BINARY accepted") { command, _ in command.begins(0x00, 0xB0) },
    accepting("PIN CHANGE without a MAC accepted") { command, _ in command.begins(0x84, 0x24) },
    accepting("EXTERNAL AUTHENTICATE without a cryptogram accepted") { command, memory in
      command.begins(0x00, 0x82) && memory.isSelected
    },
    accepting("class 80 of an unknown instruction accepted") { command, _ in command.begins(0x80, 0x7C) },
    accepting("INTERNAL AUTHENTICATE before the options accepted") { command, memory in
      command.begins(0x00, 0x88) && memory.isSelected
    },
  ]

  static let times: [CardMutant] = [
    delaying("slow options", 0xA8, by: .milliseconds(450)),
    delaying("slow GENERATE AC", 0xAE, by: .milliseconds(450)),
    delaying("slow records", 0xB2, by: .milliseconds(120)),
    CardMutant(
      fault: "slow selection", delay: { command, _ in command.selectsApplication ? .milliseconds(130) : .zero }),
    CardMutant(
      fault: "slow directory", delay: { command, _ in command.selectsDirectory ? .milliseconds(130) : .zero }),
    delaying("slow relay resistance", 0xEA, by: .milliseconds(100)),
    delaying("slow checksum", 0x2A, by: .milliseconds(450)),
  ]
}
