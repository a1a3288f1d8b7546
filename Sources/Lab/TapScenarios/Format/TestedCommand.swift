internal import EMVTerminal
internal import ISO7816
internal import Octets
internal import PaymentAcceptance
internal import Transcripts

/// A command of a terminal under test by its name. The names are those of `CommandSelector`.
enum TestedCommand {
  /// The names of commands that no phase of a kernel has.
  static let furtherNames = ["GET DATA", "INTERNAL AUTHENTICATE", "GET RESPONSE", "another command"]

  // PUT DATA, APPLICATION BLOCK and the other commands of issuer scripts carry a MAC (EMV 4.4 Book 2, 9.2).
  private static let secureMessaging: Set<UInt8> = [0x04, 0x0C, 0x84, 0x8C]

  /// The name of a command.
  ///
  /// - Parameter cryptograms: How many GENERATE AC the presentation has had before.
  static func name(of command: [UInt8], after cryptograms: Int) -> String {
    guard command.count >= 4 else { return "another command" }
    if secureMessaging.contains(command[0]) { return "issuer script" }
    switch command[1] {
    case Instruction.select: return isDirectory(command) ? "SELECT PPSE" : "SELECT AID"
    case Instruction.getProcessingOptions: return "GET PROCESSING OPTIONS"
    case Instruction.readRecord: return "READ RECORD"
    case Instruction.generateAC: return cryptograms == 0 ? "GENERATE AC" : "second GENERATE AC"
    case Instruction.getData: return "GET DATA"
    case Instruction.getResponse: return "GET RESPONSE"
    case 0x2A: return "COMPUTE CRYPTOGRAPHIC CHECKSUM"
    case 0xEA: return "EXCHANGE RELAY RESISTANCE DATA"
    case 0x82: return "EXTERNAL AUTHENTICATE"
    case 0xD0: return TransactionPhase.recoverCryptogram.rawValue
    case 0x88: return "INTERNAL AUTHENTICATE"
    default: return "another command"
    }
  }

  private static func isDirectory(_ command: [UInt8]) -> Bool {
    command.count > 5 && command.dropFirst(5).starts(with: Array("2PAY.SYS.DDF01".utf8))
  }
}

extension [Exchange] {
  /// The exchanges of a recording of the card's side; the number of the tap is that of the presentation.
  init(_ transcript: Transcript) {
    self = []
    var (presentation, cryptograms, begins) = (0, 0, true)
    for exchange in transcript.exchanges {
      begins = begins || exchange.fieldEvents.contains { $0.event == .powered || $0.event == .reset }
      if begins { (presentation, cryptograms, begins) = (presentation + 1, 0, false) }
      let name = TestedCommand.name(of: exchange.command, after: cryptograms)
      if name.hasSuffix("GENERATE AC") { cryptograms += 1 }
      append(
        Exchange(
          number: count + 1, tap: presentation, phase: TransactionPhase(rawValue: name), command: exchange.command,
          response: exchange.response, begun: Instant(nanoseconds: exchange.arrival ?? 0),
          nanoseconds: exchange.nanoseconds ?? 0))
    }
  }
}
