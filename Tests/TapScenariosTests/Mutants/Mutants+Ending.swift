import EMVDecoding
import ISO7816

/// Torn taps, restarts and the end of a payment.
extension Mutant {
  static let ending: [Mutant] = [
    Mutant(fault: "no second attempt after a torn tap", restarts: 0),
    Mutant(fault: "attempts without limit", restarts: 40),
    Mutant(
      fault: "second attempt at the old application",
      answer: { command, memory in
        command.selectsDirectory ? memory["directory"] : nil
      },
      response: { response, command, memory in
        if command.selectsDirectory { memory["directory"] = response }
        return response
      }),
    Mutant(
      fault: "unreadable response ignored",
      response: { response, command, memory in
        let data = Array(response.dropLast(2))
        let isReadable = data.isEmpty || (try? [TLVNode](parsing: data.span)) != nil
        guard command.instruction == 0xB2 else { return response }
        return isReadable ? response : [0x70, 0x03, 0x9F, 0x51, 0x00, 0x90, 0x00]
      }),
    sending("wrong P1 of EXTERNAL AUTHENTICATE", 0x82) { command, _ in command.with(0x01, at: 2) },
    unreported("failed authentication of the issuer not reported", 7), unreported("failed script not reported", 6),
    Mutant(
      fault: "second GENERATE AC left out",
      answer: { command, memory in
        command.instruction == 0xAE && memory.instructions.contains(0xAE) ? [0x6F, 0x00] : nil
      }),
    Mutant(
      fault: "script of the issuer not sent",
      answer: { command, _ in [0x04, 0x0C, 0x84, 0x8C].contains(command[0]) ? [0x90, 0x00] : nil }),
    taking("error of GENERATE AC taken for a decline", 0xAE) { response, _ in
      guard response.status != [0x90, 0x00] else { return response }
      let objects = [
        TLVNode(0x9F27, [0x00]), TLVNode(0x9F36, [0x00, 0x01]), TLVNode(0x9F26, Bytes(repeating: 0, count: 8)),
      ]
      return TLVNode(0x77, objects).encoded + [0x90, 0x00]
    },
  ]

  /// A mutant whose second GENERATE AC never has a bit of byte 5 of tag 95.
  private static func unreported(_ fault: String, _ bit: UInt8) -> Mutant {
    sending(fault, 0xAE) { command, memory in
      guard memory.instructions.contains(0xAE), let list = memory.context.cdol2 else { return command }
      return command.changing(0x95, in: list) { $0.with($0[4] & ~(1 << (bit - 1)), at: 4) }
    }
  }
}
