import ISO7816
import Octets

/// The verification of the cardholder on the device, and the counters.
extension CardMutant {
  static let verification: [CardMutant] = [
    CardMutant(
      fault: "cryptogram without verification",
      response: { response, command, memory in
        memory.isMastercard && command.instruction == 0xAE && response.object(0x9F27) == [0x00]
          && command.begins(0x80, 0xAE, 0x80) ? madeUp : response
      }),
    CardMutant(
      fault: "cryptogram of kernel 3 without verification",
      response: { response, command, memory in
        memory.isVisa && command.instruction == 0xA8 && response == [0x69, 0x86]
          && !command.commandData.hasHighAmount ? madeUp : response
      }),
    CardMutant(
      fault: "cryptogram above the limit without verification",
      response: { response, command, memory in
        memory.isVisa && command.instruction == 0xA8 && response == [0x69, 0x86]
          && command.commandData.hasHighAmount ? madeUp : response
      }),
    CardMutant(
      fault: "counter for a refusal",
      response: { response, command, memory in
        command.instruction == 0xAE && response.object(0x9F27) == [0x00] && command.begins(0x80, 0xAE, 0x80)
          ? response.changingObject(0x9F36) { _ in [0x00, 0x07] } : response
      }),
    CardMutant(
      fault: "cryptogram for a refusal",
      response: { response, command, memory in
        command.instruction == 0xAE && response.object(0x9F27) == [0x00] && command.begins(0x80, 0xAE, 0x80)
          ? response.changingObject(0x9F26) { _ in Bytes(repeating: 0x22, count: 8) } : response
      }),
    changing("verification on the device not reported", 0xA8) { response, memory in
      memory.isVisa ? response.changingObject(0x9F6C) { $0.with($0[1] & 0x7F, at: 1) } : response
    },
    changing("online PIN asked for although verified", 0xA8) { response, memory in
      memory.isVisa ? response.changingObject(0x9F6C) { $0.with($0[0] | 0x80, at: 0) } : response
    },
    changing("signature asked for although verified", 0xA8) { response, memory in
      memory.isVisa ? response.changingObject(0x9F6C) { $0.with($0[0] | 0x40, at: 0) } : response
    },
    CardMutant(
      fault: "verification forgotten above the limit",
      response: { response, command, memory in
        command.instruction == 0xA8 && command.commandData.hasHighAmount
          ? response.changingObject(0x9F6C) { _ in [0x00, 0x00] } : response
      }),
    CardMutant(
      fault: "records of a locked device readable",
      response: { response, command, memory in
        command.begins(0x00, 0xB2) && response == [0x69, 0x85]
          && memory.last.map { $0.command.instruction == 0xA8 && $0.response == [0x69, 0x86] } == true
          ? [0x70, 0x03, 0x5F, 0x34, 0x00, 0x90, 0x00] : response
      }),
    CardMutant(
      fault: "checksum without verification",
      response: { response, command, memory in
        command.begins(0x80, 0x2A, 0x8E, 0x80) && memory.hasOptions && response.object(0x9F61) == nil
          && memory.instructions.last == 0xB2
          ? TLVNode(
            0x77,
            [TLVNode(0x9F61, [0x12, 0x34]), TLVNode(0x9F60, [0x12, 0x34]), TLVNode(0x9F36, [0x00, 0x01])]
          ).encoded + [0x90, 0x00] : response
      }),
  ]

  static let counters: [CardMutant] = [
    repeatingCounter("repeated counter", 0xA8), repeatingCounter("repeated counter of GENERATE AC", 0xAE),
    changing("counter starts again after ten taps", 0xA8) { response, memory in
      memory.presentations <= 10
        ? response : response.changingObject(0x9F36) { _ in [0x00, UInt8(memory.presentations - 10)] }
    },
    changing("same options after the field was off", 0xA8) { response, memory in
      guard memory.isVisa else { return response }
      let first = memory["options"] ?? response
      memory["options"] = first
      // A payment after the first presentation without records is one after a torn payment.
      return memory.presentations == 2 ? first : response
    },
    changing("counter of GET DATA does not rise", 0xCA, 0x9F36) { _ in [0x00, 0x05] },
    CardMutant(
      fault: "AAC without a count",
      response: { response, command, memory in
        command.begins(0x80, 0xAE, 0x00) ? response.changingObject(0x9F36) { _ in [0x00, 0x03] } : response
      }),
    CardMutant(
      fault: "constant cryptogram of GENERATE AC",
      response: { response, command, memory in
        command.begins(0x80, 0xAE, 0x80)
          ? response.changingObject(0x9F26) { _ in Bytes(repeating: 0x33, count: 8) } : response
      }),
    CardMutant(
      fault: "repeated counter of the checksum",
      response: { response, command, memory in
        command.instruction == 0x2A ? response.changingObject(0x9F36) { _ in [0x00, 0x09] } : response
      }),
    accepting("GET DATA of unknown data answered") { command, _ in command.begins(0x80, 0xCA, 0x9F, 0x7F) },
    accepting("GET DATA of the account number answered") { command, _ in command.begins(0x80, 0xCA, 0x00, 0x5A) },
    accepting("GET DATA with class 00") { command, _ in command.begins(0x00, 0xCA) },
    accepting("GET DATA before a selection") { command, memory in command.begins(0x80, 0xCA) && memory.isFresh },
    accepting("GET DATA with data") { command, memory in command.begins(0x80, 0xCA) && !command.commandData.isEmpty },
    changing("counter of GET DATA without its tag", 0xCA) { response, _ in
      response.object(0x9F36).map { $0 + response.status } ?? response
    },
  ]

  /// A mutant whose seventh payment has the counter of the sixth.
  private static func repeatingCounter(_ fault: String, _ instruction: UInt8) -> CardMutant {
    changing(fault, instruction) { response, memory in
      guard let counter = response.object(0x9F36) else { return response }
      if memory.presentations == 7, let last = memory["counter"] {
        return response.changingObject(0x9F36) { _ in last }
      }
      memory["counter"] = counter
      return response
    }
  }
}

extension [UInt8] {
  /// Whether the values of the options begin with tag 9F66 and an amount of 75.00.
  fileprivate var hasHighAmount: Bool { count > 12 && Array(self[6..<12]) == [0, 0, 0, 0, 0x75, 0x00] }
}
