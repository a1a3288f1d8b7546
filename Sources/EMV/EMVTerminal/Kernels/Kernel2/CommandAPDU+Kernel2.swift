internal import EMVData
internal import ISO7816

extension CommandAPDU {
  // EXCHANGE RELAY RESISTANCE DATA: 80 EA 00 00 04 and four bytes (Book C-8 v1.0, 6.3.5; kernel 2 by open terminals).
  static func exchangeRelayResistanceData(_ entropy: [UInt8]) -> CommandAPDU {
    short(0x80, 0xEA, 0x00, 0x00, entropy)
  }

  // GENERATE AC (EMV 4.4 Book 3, 6.5.5): bits 8 and 7 of P1 are those of tag 9F27.
  static func generateCryptogram(_ type: CryptogramType, _ data: [UInt8]) throws(StepFailure) -> CommandAPDU {
    try checked(.generateCryptogram, 0x80, Instruction.generateAC, type.cryptogramInformationData, 0x00, data)
  }

  // COMPUTE CRYPTOGRAPHIC CHECKSUM: 80 2A 8E 80, confirmed by a public recording.
  static func computeChecksum(_ data: [UInt8]) throws(StepFailure) -> CommandAPDU {
    try checked(.computeChecksum, 0x80, 0x2A, 0x8E, 0x80, data)
  }

  // The card's list may ask for more data than one command can carry.
  private static func checked(
    _ phase: TransactionPhase, _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]
  ) throws(StepFailure) -> CommandAPDU {
    guard data.count <= 255 else { throw StepFailure(phase, .tooManyProcessingOptions(count: data.count, limit: 255)) }
    return short(cla, ins, p1, p2, data)
  }

  private static func short(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) -> CommandAPDU {
    do throws(APDUError) {
      return try CommandAPDU(cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: 256)
    } catch { preconditionFailure("a short command carries up to 255 octets, and \(data.count) were checked") }
  }
}
