internal import EMVData
internal import ISO7816

/// A GENERATE AC that was sent, and what the kernel needs for its response.
struct Generation {
  let card: CardData
  let command: CommandAPDU
  // With what the signature in the response is checked; nil without CDA.
  let certificate: CombinedAuthentication.SigningCard?
  let choice: CVMListProcessing.Choice
  // Why the kernel asks the card to decline; nil for the action codes.
  var denial: StepFailure.Code?
  let asked: CryptogramType
}

// The command of every kernel that asks for a cryptogram after the records.
extension TransactionPhase {
  /// GENERATE AC, in EMV mode (EMV 4.4 Book 3, 6.5.5).
  public static let generateCryptogram = TransactionPhase(rawValue: "GENERATE AC")
}

extension CommandAPDU {
  // GENERATE AC (EMV 4.4 Book 3, 6.5.5): bits 8 and 7 of P1 are those of tag 9F27, bit 5 asks for a signature (CDA).
  static func generateCryptogram(
    _ type: CryptogramType, isSigned: Bool, _ data: [UInt8]
  ) throws(StepFailure) -> CommandAPDU {
    let p1 = type.cryptogramInformationData | (isSigned ? 0x10 : 0x00)
    return try checked(.generateCryptogram, 0x80, Instruction.generateAC, p1, 0x00, data)
  }

  // The card's list may ask for more data than one command can carry.
  static func checked(
    _ phase: TransactionPhase, _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]
  ) throws(StepFailure) -> CommandAPDU {
    guard data.count <= 255 else { throw StepFailure(phase, .tooManyProcessingOptions(count: data.count, limit: 255)) }
    return short(cla, ins, p1, p2, data)
  }

  static func short(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) -> CommandAPDU {
    do throws(APDUError) {
      return try CommandAPDU(cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: 256)
    } catch { preconditionFailure("a short command carries up to 255 bytes, and \(data.count) were checked") }
  }
}

extension StepFailure.Code {
  /// The terminal's or the issuer's action codes deny the payment (EMV 4.4 Book 3, 10.7).
  public static let deniedByActionCodes = Self(
    "deniedByActionCodes", "the action codes of terminal or issuer deny the payment")
  /// The card returned a cryptogram that cannot follow from the requested one (EMV 4.4 Book 3, 9.3).
  public static let cryptogramNotAsked = Self(
    "cryptogramNotAsked", "the card returned another type of cryptogram than the terminal asked for")
}
