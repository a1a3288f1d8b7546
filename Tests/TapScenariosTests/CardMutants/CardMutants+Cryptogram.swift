import ISO7816

/// GENERATE AC and COMPUTE CRYPTOGRAPHIC CHECKSUM.
extension CardMutant {
  static let cryptogram: [CardMutant] = [
    changing("AAC although verified", 0xAE) { response, memory in
      memory.isMastercard && response.object(0x9F27) == [0x80]
        ? response.changingObject(0x9F27) { _ in [0x00] } : response
    },
    CardMutant(
      fault: "TC without offline approval",
      response: { response, command, memory in
        memory.isMastercard && command.begins(0x80, 0xAE, 0x40)
          ? response.changingObject(0x9F27) { _ in [0x40] } : response
      }),
    CardMutant(
      fault: "ARQC for a decline",
      response: { response, command, memory in
        command.begins(0x80, 0xAE, 0x00) ? response.changingObject(0x9F27) { _ in [0x80] } : response
      }),
    repeating("second cryptogram for one payment") { command, memory in
      command.begins(0x80, 0xAE) && memory.instructions.last == 0xAE
    },
    accepting("GENERATE AC before the options") { command, memory in
      command.begins(0x80, 0xAE) && memory.isSelected
    },
    accepting("GENERATE AC before a selection") { command, memory in
      command.begins(0x80, 0xAE) && memory.isFresh
    },
    accepting("data of GENERATE AC too short") { command, _ in
      command.begins(0x80, 0xAE) && command.commandData.count == 10
    },
    accepting("data of GENERATE AC too long") { command, _ in
      command.begins(0x80, 0xAE) && command.commandData.count > 60
    },
    accepting("GENERATE AC without data") { command, _ in
      command.begins(0x80, 0xAE) && command.commandData.isEmpty
    },
    accepting("reserved type of cryptogram") { command, _ in command.begins(0x80, 0xAE, 0xC0) },
    accepting("GENERATE AC with P2 01") { command, _ in command.begins(0x80, 0xAE, 0x80, 0x01) },
    accepting("GENERATE AC with class 00") { command, _ in command.begins(0x00, 0xAE) },
    changing("cryptogram of seven bytes", 0xAE, 0x9F26) { Array($0.dropLast()) },
    changing("response to GENERATE AC in template 70", 0xAE) { response, memory in
      memory.isMastercard ? response.inTemplate(0x70) : response
    },
    changing("issuer data left out", 0xAE, 0x9F10) { _ in nil },
    CardMutant(
      fault: "short Le spends the cryptogram",
      response: { response, command, memory in
        if command.instruction == 0xAE, response.status[0] == 0x6C { memory["spent"] = response }
        return command.instruction == 0xAE && response.status == [0x90, 0x00] && memory["spent"] != nil
          ? [0x69, 0x85] : response
      }),
    changing("checksum of track 2 left out", 0x2A, 0x9F61) { _ in nil },
    repeating("second checksum for one payment") { command, memory in
      command.begins(0x80, 0x2A) && memory.instructions.last == 0x2A
    },
    accepting("checksum before the options") { command, memory in
      command.begins(0x80, 0x2A) && memory.isSelected
    },
    accepting("checksum with P1-P2 0000") { command, _ in command.begins(0x80, 0x2A, 0x00, 0x00) },
    accepting("checksum with class 00") { command, _ in command.begins(0x00, 0x2A) },
    accepting("UDOL data too short") { command, _ in
      command.begins(0x80, 0x2A, 0x8E, 0x80) && command.commandData.count == 2
    },
    changing("constant checksum", 0x2A, 0x9F61) { _ in [0x12, 0x34] },
  ]
}

extension CardMemory {
  var isMastercard: Bool { application.starts(with: [0xA0, 0x00, 0x00, 0x00, 0x04]) }
  var isVisa: Bool { application.starts(with: [0xA0, 0x00, 0x00, 0x00, 0x03]) }
}
