/// The instruction bytes that this engine sends or answers (ISO/IEC 7816-4:2013, table 4; EMV 4.4 Book 3, 6.3.2).
public enum Instruction {
  /// SELECT.
  public static let select: UInt8 = 0xA4
  /// READ RECORD.
  public static let readRecord: UInt8 = 0xB2
  /// GET RESPONSE.
  public static let getResponse: UInt8 = 0xC0
  /// GET DATA.
  public static let getData: UInt8 = 0xCA
  /// GET PROCESSING OPTIONS.
  public static let getProcessingOptions: UInt8 = 0xA8
  /// GENERATE APPLICATION CRYPTOGRAM.
  public static let generateAC: UInt8 = 0xAE
}

extension CommandAPDU {
  /// SELECT by name: the first or only, or the next occurrence (EMV 4.4 Book 1, 11.3.2, tables 40 and 41).
  ///
  /// - Parameter name: An AID or a DF name, 5 to 16 bytes by the standard. A name of more
  ///   than 255 bytes does not fit a short command and traps.
  public static func select(name: [UInt8], nextOccurrence: Bool = false) -> CommandAPDU {
    precondition(name.count <= 255, "a short command carries at most 255 bytes of name")
    return CommandAPDU(checked: 0x00, Instruction.select, 0x04, nextOccurrence ? 0x02 : 0x00, name, 256, .short)
  }

  /// READ RECORD (EMV 4.4 Book 3, 6.5.11).
  ///
  /// - Parameters:
  ///   - record: The record number, 1...255.
  ///   - sfi: The short file identifier, 1...30; others trap.
  public static func readRecord(_ record: UInt8, sfi: UInt8) -> CommandAPDU {
    precondition((1...30).contains(sfi), "a short file identifier is 1...30")
    return CommandAPDU(checked: 0x00, Instruction.readRecord, record, sfi << 3 | 0x04, [], 256, .short)
  }

  /// GET RESPONSE for the bytes that SW 61xx announced (ISO/IEC 7816-4:2013, 11.8.1).
  public static func getResponse(expectedLength: Int) -> CommandAPDU {
    let expected = min(max(expectedLength, 1), 256)
    return CommandAPDU(checked: 0x00, Instruction.getResponse, 0x00, 0x00, [], expected, .short)
  }

  /// GET DATA of one data object named by P1-P2 (EMV 4.4 Book 3, 6.5.7).
  public static func getData(_ tag: UInt16) -> CommandAPDU {
    CommandAPDU(checked: 0x80, Instruction.getData, UInt8(tag >> 8), UInt8(tag & 0xFF), [], 256, .short)
  }
}
