import Octets

/// Times of the terminal, and how long it waits for a card.
extension Mutant {
  static let times: [Mutant] = [
    slow("slow terminal before READ RECORD", 0xB2), slow("slow terminal before GENERATE AC", 0xAE),
    slow("slow terminal before GET PROCESSING OPTIONS", 0xA8),
    Mutant(fault: "card that left waited for too briefly", restartDuration: .milliseconds(300)),
    Mutant(fault: "card that left waited for without limit", restartDuration: .seconds(3600)),
    Mutant(fault: "second payment after the payment", payments: 2),
    Mutant(fault: "part of a response taken for the whole", takesParts: true),
    Mutant(
      fault: "refused options sent again",
      further: { command, response, _ in
        command.instruction == 0xA8 && response.status[0] == 0x69 ? [command] : []
      }),
    Mutant(
      fault: "record read after refused options",
      further: { command, response, _ in
        command.instruction == 0xA8 && response.status[0] == 0x69 ? [[0x00, 0xB2, 0x01, 0x0C, 0x00]] : []
      }),
  ]

  private static func slow(_ fault: String, _ instruction: UInt8) -> Mutant {
    Mutant(fault: fault, delay: { $0.instruction == instruction ? .milliseconds(150) : .zero })
  }
}
